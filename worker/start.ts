import { resolve } from 'node:path';
import { Connection } from '@temporalio/client';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import pino, { type Logger } from 'pino';
import type { KeepLimits } from '#adapters/record/prune.js';
import { createRecordWriter, recordFile } from '#adapters/record/record.js';
import { screenOf } from '#client/cli/terminal/screen.js';
import { CONNECT_TIMEOUT_MS, explainConnectionError, readConnection } from '#client/connection.js';
import { missingSearchAttributes } from '#client/search-attributes.js';
import { DEFAULT_TENANT } from '#contract/names.js';
import { type MeshConfig, RecordLimits } from '#config/mesh-config.js';
import type { Current } from '#config/read-through.js';
import type { TellRecord } from '#contract/record.js';
import { readSettings, type Settings } from '#contract/settings.js';
import { printBanner } from './banner.js';
import { createWorker } from './create-worker.js';
import { type DevServer, startDevServer } from './dev/dev-server.js';
import { ExplainedError } from './explained-error.js';
import { followFiles } from './follow-files.js';
import { hideInEntries } from './hide-in-entries.js';
import { createLiveLines } from './live-lines.js';
import { makeWorld } from './make-world.js';
import { openDoor } from './open-door.js';
import { stopRequest } from './stop-request.js';
import { createConsoleLog, openLogFile } from './logs.js';
import { keepHeapsSmall } from './keep-heaps-small.js';
import { findTemporal } from './dev/temporal-binary.js';
import { messageOf } from '#contract/text/words.js';

export interface StartOptions {
  /** No line for each event. */
  isQuiet: boolean;
  /** Those about the environment, by the command line. */
  areWarningsSaid?: boolean;
}

/** Runs it until it is told to end; what goes wrong is told in words. */
export async function runStart(options: StartOptions): Promise<void> {
  try {
    await start(options);
  } catch (error) {
    const { settings } = readSettings(process.env);
    const explanation = explainConnectionError(error, readConnection(settings, process.env));
    if (!explanation && !(error instanceof ExplainedError) && process.env['DEBUG']) console.error(error);
    say(explanation ?? messageOf(error));
    // The SDK's native part would keep the process alive; everything that had to be stopped is.
    process.exit(1);
  }
}

/** `npm start`: a Temporal server unless one is given, and a worker, until Ctrl-C. */
async function start({ isQuiet, areWarningsSaid = false }: StartOptions): Promise<void> {
  keepHeapsSmall();
  const { settings, problems, warnings } = readSettings(process.env);
  if (!areWarningsSaid) for (const warning of warnings) say(`Warning: ${warning}`);
  if (problems.length > 0) throw new ExplainedError(problems.join('\n'));

  const stopping = stopRequest(say);
  const log = pino({ level: 'info', base: null }, openLogFile(resolve(settings.home, 'worker.log'), say));
  installRuntime(settings, log);

  const given = readConnection(settings, process.env);
  const ownUi = given.isGiven ? undefined : `http://127.0.0.1:${settings.uiPort}`;
  const consoleLog = createConsoleLog(log, say);
  // Before the server: what is missing in the state folder is told sooner, with nothing to end.
  const world = await makeWorld({ settings, env: process.env, log: consoleLog, temporalUi: ownUi });
  const record = createRecordWriter({
    path: recordFile(settings.home),
    limits: async () => keepLimits(await world.config.get()),
    say: (line) => consoleLog.error({}, line),
  });
  const server = given.isGiven ? undefined : await startOwnServer(settings, given.namespace);
  try {
    await requireSearchAttributes(given);
    const rules = await world.rulesets.get(DEFAULT_TENANT);
    const config = await world.config.get();
    let following: { stop(): void } | undefined;
    const door = await openDoor({ settings, env: process.env, connection: given, sources: world });
    try {
      const lines = createLiveLines({ paint: screenOf(process.stdout, process.env).paint, output: process.stdout });
      const hide = hideInEntries(settings, world.config);
      const tell: TellRecord = (tenant, entries) => {
        const hidden = hide(entries);
        record.tell(tenant, hidden);
        if (!isQuiet) lines(tenant, hidden);
      };
      const worker = await createWorker({ connection: given, world, tell });
      const running = worker.run();
      const temporalUi = (config.available ? config.value.temporalUi : undefined) ?? world.temporalUi;
      printBanner({ settings, connection: given, server, temporalUi, rules, config, gateway: door.description });
      consoleLog.showNews();
      following = followFiles(world);
      const ended = await Promise.race([running, stopping, ...(server ? [server.ended.then(() => 'server')] : [])]);
      if (ended === 'server') {
        say('The Temporal server ended. Stopping; start again to go on.');
        process.exitCode = 1;
      }
      following.stop();
      // The worker goes on meanwhile, and the server: what came through the door must be stored.
      await door.close();
      worker.shutdown();
      if (worker.underWay() > 0) say('What is under way has about ten seconds to end. Ctrl-C again ends it now.');
      await running;
    } catch (error) {
      following?.stop();
      await door.close();
      throw error;
    }
  } finally {
    await record.close();
    await server?.stop();
  }
}

/** What stands in `mesh.yaml`, or would stand there. None while it cannot be read: it may say to keep more. */
function keepLimits(config: Current<MeshConfig>): KeepLimits | undefined {
  if (!config.available && !config.isAbsent) return undefined;
  const { keepDays, maxMegabytes } = config.available ? config.value.record : RecordLimits.parse({});
  return { keepMs: keepDays * 86_400_000, maxBytes: maxMegabytes * 1_000_000 };
}

/** Before anything else of the SDK: its runtime is made once per process, with the logger it is given now. */
function installRuntime({ metricsAddress }: Settings, log: Logger): void {
  try {
    Runtime.install({
      logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
        log[level === 'ERROR' ? 'error' : 'warn']({ ...meta }, message);
      }),
      // The SDK's native part would print to the terminal by itself.
      telemetryOptions: {
        logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
        ...(metricsAddress !== undefined && {
          metrics: { prometheus: { bindAddress: metricsAddress, countersTotalSuffix: true } },
        }),
      },
      shutdownSignals: [],
    });
  } catch (error) {
    if (metricsAddress === undefined) throw error;
    throw new ExplainedError(
      `Metrics cannot be shown at ${metricsAddress}: ${messageOf(error)}\nSet MESH_METRICS_ADDRESS to another address, or to nothing.`,
      { cause: error },
    );
  }
}

async function startOwnServer(settings: Settings, namespace: string): Promise<DevServer> {
  const binary = await findTemporal({ env: process.env, say });
  return startDevServer({
    binary,
    port: settings.temporalPort,
    uiPort: settings.uiPort,
    databaseFile: resolve(settings.home, 'temporal.db'),
    namespace,
  });
}

async function requireSearchAttributes(connection: ReturnType<typeof readConnection>): Promise<void> {
  const probe = await Connection.connect({
    address: connection.address,
    ...connection.options,
    connectTimeout: CONNECT_TIMEOUT_MS,
  });
  try {
    const missing = await missingSearchAttributes(probe, connection.namespace);
    if (missing.length === 0) return;
    const where = `namespace ${connection.namespace} at ${connection.address}`;
    throw new ExplainedError(
      `${where} lacks the search attributes ${missing.join(', ')}.\nRegister them once: npx mesh setup-server`,
    );
  } finally {
    await probe.close();
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
