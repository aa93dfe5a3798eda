import { DefaultLogger, Runtime } from '@temporalio/worker';

/** Keeps the SDK's warnings out of the test report: tests that kill servers cause many. */
export function installQuietRuntime(): void {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } },
    shutdownSignals: [],
  });
}
