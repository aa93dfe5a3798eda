import type { OpenIncident } from '#contract/notification.js';
import { numberIn, textIn, textsIn } from './read-argument.js';

export const EXPECTED_INCIDENTS =
  'expected a list of incidents {"tenant": "…", "rule": "…", "team": "…", "channel": "…", "key": "…", "resolveOn": ["task"]}';

/** An incident as a delivery tells of it. Anyone can signal a watch: undefined for what is none, or another tenant's. */
export function readIncident(written: unknown, tenant: string, now: number): OpenIncident | undefined {
  const [rule, team, channel, key] = ['rule', 'team', 'channel', 'key'].map((name) => textIn(written, name));
  const resolveOn = (['task', 'tool'] as const).filter((what) => textsIn(written, 'resolveOn').includes(what));
  if (textIn(written, 'tenant') !== tenant || resolveOn.length === 0) return undefined;
  if (rule === undefined || team === undefined || channel === undefined || key === undefined) return undefined;
  const named = ['session', 'task', 'tool', 'cooldownLabel'].flatMap((name) => {
    const text = textIn(written, name);
    return text === undefined ? [] : [[name, text] as const];
  });
  // A clock that is ahead must not keep an incident open for longer; and there are numbers that are no time.
  const openedAt = Math.max(0, Math.min(numberIn(written, 'openedAt') ?? now, now));
  return {
    tenant,
    rule,
    team,
    channel,
    key,
    resolveOn,
    remediation: textIn(written, 'remediation') ?? '',
    root: textIn(written, 'root') ?? '',
    ...Object.fromEntries(named),
    // Signalled by hand, it may not say when it began.
    occurredAt: numberIn(written, 'occurredAt') ?? openedAt,
    openedAt,
  };
}
