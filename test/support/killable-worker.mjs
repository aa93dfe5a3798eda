// @ts-check
// A worker in a process of its own, for tests that kill it. At the steps named in its settings it leaves a mark and waits, so
// that the kill comes exactly there.
// Plain JavaScript that runs what is compiled, as `npm start` does: to load the sources takes longer than to start the worker.
import { appendFileSync } from 'node:fs';
import { DefaultLogger, Runtime } from '@temporalio/worker';

/**
 * @typedef {import('#activities/index.js').MeshActivities} MeshActivities
 * @typedef {import('#activities/index.js').World} World
 */

/** @type {import('./worker-process.js').WorkerProcessSettings} */
const given = JSON.parse(process.argv[2] ?? '');
/** Where it has stopped it goes on no more: also what is tried again, while the worker waits for its end, stops there. */
const stopped = new Set();
/** Steps that have been done at least once, without an error. */
const done = new Set();

/** @type {typeof import('#adapters/record/record.js')} */
const { createRecordWriter, recordFile } = await compiled('adapters/record/record.js');
/** @type {typeof import('#activities/index.js')} */
const { createActivities } = await compiled('activities/index.js');
/** @type {typeof import('#contract/settings.js')} */
const { readSettings } = await compiled('contract/settings.js');
/** @type {typeof import('#worker/create-worker.js')} */
const { createWorker } = await compiled('worker/create-worker.js');
/** @type {typeof import('#worker/make-world.js')} */
const { makeWorld } = await compiled('worker/make-world.js');

// As quiet-runtime.ts does.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } },
  shutdownSignals: [],
});
const settings = { ...readSettings({}).settings, ...given.settings };
const record = createRecordWriter({
  path: recordFile(settings.home),
  limits: async () => ({ keepMs: Infinity, maxBytes: Infinity }),
  say: (line) => process.stderr.write(`${line}\n`),
});
const world = await makeWorld({
  settings,
  env: process.env,
  log: { info: () => undefined, error: (_meta, message) => process.stderr.write(`${message}\n`) },
  temporalUi: undefined,
});
const worker = await createWorker({
  connection: { address: given.address, namespace: 'default', options: {}, isGiven: true },
  world,
  tell: record.tell,
  ...(given.taskQueue !== undefined && { taskQueue: given.taskQueue }),
  wrap: (_activities, real) => activitiesInSteps(createActivities(worldInSteps(real))),
});
process.on('SIGTERM', () => worker.shutdown());
process.send?.('ready');
await worker.run();
await record.close();
process.disconnect?.();

/** @param {string} path */
function compiled(path) {
  return import(new URL(`../../dist/${path}`, import.meta.url).href);
}

/**
 * @param {MeshActivities} activities
 * @returns {MeshActivities}
 */
function activitiesInSteps(activities) {
  return {
    ...activities,
    matchEvents: inStep(activities.matchEvents, () => 'matchEvents'),
    startRemediations: inStep(activities.startRemediations, () => 'startRemediations'),
    spawnFallbackAgent: inStep(activities.spawnFallbackAgent, ({ plan }) => `spawnFallbackAgent ${plan.name}`),
    composeNotification: inStep(activities.composeNotification, ({ plan }) => `composeNotification ${plan.name}`),
    deliverNotification: inStep(activities.deliverNotification, ({ channel }) => `deliverNotification ${channel}`),
    warmRemoteCapacity: inStep(activities.warmRemoteCapacity, ({ plan }) => `warmRemoteCapacity ${plan.name}`),
  };
}

/**
 * @param {World} real
 * @returns {World}
 */
function worldInSteps(real) {
  const { mailers, outbound, workflows } = real;
  return {
    ...real,
    mailers: {
      ...mailers,
      to(server) {
        const mailer = mailers.to(server);
        return { ...mailer, send: inStep(mailer.send, () => 'mail') };
      },
    },
    outbound: {
      ...outbound,
      send: inStep(outbound.send, ({ method, url }) => `${method} ${new URL(url).pathname}`),
    },
    workflows: {
      ...workflows,
      keepLease: inStep(workflows.keepLease, () => 'keepLease'),
      tellWatchOfAgents: inStep(
        workflows.tellWatchOfAgents,
        (_tenant, agents) => `tellWatchOfAgents ${agents[0]?.action}`,
      ),
      tellRemediation: inStep(workflows.tellRemediation, (_id, { action }) => `tellRemediation ${action}`),
      askForSlot: inStep(workflows.askForSlot, (launcher) => `askForSlot ${launcher}`),
    },
  };
}

/**
 * @template {unknown[]} Given
 * @template Answer
 * @param {(...given: Given) => Promise<Answer>} run
 * @param {(...given: Given) => string} nameOf
 * @returns {(...given: Given) => Promise<Answer>}
 */
function inStep(run, nameOf) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  return async (...handed) => {
    const name = nameOf(...handed);
    const times = (counts.get(name) ?? 0) + 1;
    counts.set(name, times);
    await stopAt('before', name, times);
    const answer = await run(...handed);
    done.add(name);
    await stopAt('after', name, times);
    return answer;
  };
}

/**
 * @param {'before' | 'after'} when
 * @param {string} name
 * @param {number} times
 */
async function stopAt(when, name, times) {
  const steps = [`${when} ${name}`, `${when} ${name}, ${times}`];
  for (const other of done) steps.push(`${when} ${name} once ${other}`);
  const stop = given.stops?.find((step) => steps.includes(step));
  if (stop === undefined && !stopped.has(name)) return;
  stopped.add(name);
  if (stop !== undefined) appendFileSync(given.markFile, `${stop}\n`);
  await new Promise(() => undefined);
}
