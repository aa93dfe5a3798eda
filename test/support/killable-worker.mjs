// @ts-check
// A worker in a process of its own, for tests that kill it. At the point named in its settings it leaves a mark and waits,
// so that the kill comes exactly there.
// Plain JavaScript that runs what is compiled, as `npm start` does: to load the sources takes longer than to start the worker.
import { writeFileSync } from 'node:fs';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { prepare } from '../../worker/bootstrap.mjs';

/**
 * @typedef {import('../../activities/index.js').MeshActivities} MeshActivities
 * @typedef {import('./worker-process.js').KillPoint} KillPoint
 */

/** @type {import('./worker-process.js').WorkerProcessSettings} */
const given = JSON.parse(process.argv[2] ?? '');

prepare();
/** @type {typeof import('../../contract/settings.js')} */
const { readSettings } = await compiled('contract/settings.js');
/** @type {typeof import('../../worker/create-worker.js')} */
const { createWorker } = await compiled('worker/create-worker.js');
/** @type {typeof import('../../worker/make-world.js')} */
const { makeWorld } = await compiled('worker/make-world.js');

// As quiet-runtime.ts does.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } },
  shutdownSignals: [],
});
const world = makeWorld({
  settings: { ...readSettings({}).settings, ...given.settings },
  env: process.env,
  log: { info: () => undefined, error: (_meta, message) => process.stderr.write(`${message}\n`) },
  temporalUi: undefined,
});
const worker = await createWorker({
  connection: { address: given.address, namespace: 'default', options: {}, isGiven: true },
  world,
  ...(given.taskQueue !== undefined && { taskQueue: given.taskQueue }),
  wrap: (activities) => stopAt(given.killPoint, activities),
});
process.on('SIGTERM', () => worker.shutdown());
process.send?.('ready');
await worker.run();
process.disconnect?.();

/** @param {string} path */
function compiled(path) {
  return import(new URL(`../../dist/${path}`, import.meta.url).href);
}

/**
 * @param {KillPoint | undefined} point
 * @param {MeshActivities} activities
 * @returns {MeshActivities}
 */
function stopAt(point, activities) {
  switch (point) {
    case undefined:
      return activities;
    case 'before-match':
      return { ...activities, matchEvents: markAndWait };
    case 'before-start':
      return { ...activities, startRemediations: markAndWait };
    case 'after-start':
      return { ...activities, startRemediations: waitAfter(activities.startRemediations) };
    case 'after-bridge':
      return { ...activities, warmRemoteCapacity: waitAfter(activities.warmRemoteCapacity) };
    case 'after-mail':
      return { ...activities, deliverNotification: waitAfter(activities.deliverNotification) };
  }
}

/**
 * @template Request, Answer
 * @param {(request: Request) => Promise<Answer>} activity
 * @returns {(request: Request) => Promise<Answer>}
 */
function waitAfter(activity) {
  return async (request) => {
    await activity(request);
    return markAndWait();
  };
}

/** @returns {Promise<never>} */
function markAndWait() {
  writeFileSync(given.markFile, 'here');
  return new Promise(() => undefined);
}
