import { DefaultLogger, Runtime } from '@temporalio/worker';

let isInstalled = false;

/** Keeps the SDK's warnings out of the test report: tests that kill servers cause many. */
export function installQuietRuntime(): void {
  // Files that run in one process share its runtime.
  if (isInstalled) return;
  isInstalled = true;
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } },
    shutdownSignals: [],
  });
}
