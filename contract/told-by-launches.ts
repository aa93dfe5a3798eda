import type { Launch } from './remediation.js';

/** True when the reason of an action is made of what the launchers say that it has tried, so that it need not be told as well. */
export function isToldByLaunches(launches: readonly Launch[]): boolean {
  return launches.length > 1 && launches.every(({ status, reason }) => status === 'failed' || reason !== undefined);
}
