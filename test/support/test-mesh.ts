import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { inject } from 'vitest';
import type { MeshActivities } from '#activities/index.js';
import { patientQueries } from '#adapters/temporal/patient-queries.js';
import { connectMesh, type EventInput, type LoggedVerdict, type Mesh, type WatchStatus } from '#client/mesh.js';
import type { ConnectionSettings } from '#client/connection.js';
import { remediationId, watchId } from '#contract/ids.js';
import { SIGNALS, WORKFLOW_TYPES } from '#contract/names.js';
import type { RemediationResult } from '#contract/remediation.js';
import { readSettings } from '#contract/settings.js';
import type { WatchRunInput } from '#workflows/watch/open-watch.js';
import { createWorker } from '#worker/create-worker.js';
import { makeWorld } from '#worker/make-world.js';
import { mailingThrough } from './mail-server.js';
import { BUNDLE } from './paths.js';
import { installQuietRuntime } from './quiet-runtime.js';
import { eventually } from './eventually.js';

installQuietRuntime();

export interface TestMeshOptions {
  rules: unknown;
  config?: unknown;
  smtpUrl?: string;
  env?: Record<string, string>;
  /** Where Temporal is; default: the server all tests share. */
  address?: string;
  watch?: Partial<WatchRunInput>;
  wrap?(activities: MeshActivities): MeshActivities;
  withoutWorker?: boolean;
  /** Workflows run in a thread of their own, as in the product: to start it takes longer than most tests need. */
  ownThread?: boolean;
}

export interface TestMesh {
  tenant: string;
  folder: string;
  rulesFile: string;
  mesh: Mesh;
  client: Client;
  taskQueue: string;
  log: string[];
  report(...events: Partial<EventInput>[]): Promise<string[]>;
  verdicts(eventId: string): Promise<LoggedVerdict[]>;
  /** The verdicts of an event, once it has any, each as one line. */
  judged(eventId: string): Promise<string[]>;
  status(): Promise<WatchStatus>;
  watch(): WorkflowHandle;
  remediation(rule: string, eventId: string): WorkflowHandle;
  result(rule: string, eventId: string): Promise<RemediationResult>;
  writeRules(rules: unknown): Promise<void>;
  writeConfig(config: unknown): Promise<void>;
  /** All of them, where there is more than one. */
  stopWorker(): Promise<void>;
  /** One more; `wrap` is that of the mesh, unless it is given. */
  startWorker(wrap?: TestMeshOptions['wrap']): Promise<void>;
  stop(): Promise<void>;
}

/** A worker of its own, with real activities, on a task queue and tenant of its own. */
export async function startTestMesh(options: TestMeshOptions): Promise<TestMesh> {
  const tenant = `t-${randomBytes(6).toString('hex')}`;
  const taskQueue = `mesh-${tenant}`;
  const folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
  const rulesFile = join(folder, 'rules', `${tenant}.json`);
  const configFile = join(folder, 'mesh.yaml');
  await writeText(rulesFile, options.rules);
  const { smtpUrl } = options;
  const withMail = (config: unknown) =>
    smtpUrl === undefined || typeof config !== 'object' || config === null ? config : mailingThrough(smtpUrl, config);
  await writeText(configFile, withMail(options.config ?? {}));

  const connection: ConnectionSettings = {
    address: options.address ?? inject('temporalAddress'),
    namespace: 'default',
    options: {},
    isGiven: true,
  };
  const log: string[] = [];
  const mesh = await connectMesh({ connection, taskQueue });
  const clientConnection = await Connection.connect({ address: connection.address });
  const client = new Client({ connection: clientConnection, interceptors: { workflow: [patientQueries()] } });
  let running: { shutdown(): void; done: Promise<void> }[] = [];

  const test: TestMesh = {
    tenant,
    folder,
    rulesFile,
    mesh,
    client,
    taskQueue,
    log,
    async report(...events) {
      const { ids } = await mesh.report(
        events.map((event) => ({ event: 'TaskCompleted', outcome: 'failed', tenant, ...event })),
      );
      return ids;
    },
    verdicts: (eventId) => mesh.verdicts(eventId, tenant),
    judged: (eventId) =>
      eventually(`a verdict on ${eventId}`, async () => {
        const verdicts = await mesh.verdicts(eventId, tenant);
        return verdicts.length > 0 ? verdicts.map(line) : undefined;
      }),
    status: () => mesh.status(tenant),
    watch: () => client.workflow.getHandle(watchId(tenant)),
    remediation: (rule, eventId) => client.workflow.getHandle(remediationId(tenant, rule, eventId)),
    result(rule, eventId) {
      // The first thing a test asks of a remediation may be its end, so it may not have begun.
      return eventually(`remediation of ${rule} for ${eventId}`, () =>
        test
          .remediation(rule, eventId)
          .describe()
          .then(
            () => true,
            () => undefined,
          ),
      ).then(() => test.remediation(rule, eventId).result() as Promise<RemediationResult>);
    },
    writeRules: (rules) => writeText(rulesFile, rules),
    writeConfig: (config) => writeText(configFile, withMail(config)),
    async startWorker(wrap = options.wrap) {
      const world = await makeWorld({
        settings: {
          ...readSettings({}).settings,
          rules: join(folder, 'rules'),
          config: configFile,
          home: join(folder, 'home'),
        },
        env: { ...process.env, ...options.env },
        log: { info: (_meta, message) => log.push(message), error: (_meta, message) => log.push(message) },
        temporalUi: 'http://temporal.test',
      });
      const worker = await createWorker({
        connection,
        world,
        taskQueue,
        bundlePath: BUNDLE,
        debugMode: options.ownThread !== true,
        ...(wrap && { wrap }),
      });
      running.push({ shutdown: () => worker.shutdown(), done: worker.run() });
    },
    async stopWorker() {
      for (const worker of running) worker.shutdown();
      await Promise.all(running.map(({ done }) => done));
      running = [];
    },
    async stop() {
      await test.stopWorker();
      await client.workflow
        .getHandle(watchId(tenant))
        .terminate('the test is over')
        .catch(() => undefined);
      await mesh.close();
      await clientConnection.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  if (options.watch) await startWatch(test, options.watch);
  if (!options.withoutWorker) await test.startWorker();
  return test;
}

/** A watch with settings of the test's own, started before any event does. */
async function startWatch({ client, tenant, taskQueue }: TestMesh, input: Partial<WatchRunInput>): Promise<void> {
  await client.workflow.signalWithStart(WORKFLOW_TYPES.watch, {
    workflowId: watchId(tenant),
    taskQueue,
    args: [{ tenant, ...input } satisfies WatchRunInput],
    signal: SIGNALS.events,
    signalArgs: [[]],
    typedSearchAttributes: [{ key: defineSearchAttributeKey('MeshTenant', 'KEYWORD'), value: tenant }],
  });
}

async function writeText(file: string, content: unknown): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(`${file}.part`, typeof content === 'string' ? content : JSON.stringify(content));
  await rename(`${file}.part`, file);
}

function line(verdict: LoggedVerdict): string {
  const what = [verdict.rule, verdict.action].filter((part) => part !== undefined).join('/');
  return [what, verdict.verdict === 'fire' ? 'fire' : `${verdict.code}`].filter((part) => part !== '').join(' ');
}
