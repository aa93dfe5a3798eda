// A worker in a process of its own, for tests that kill it. At the point named in its settings it leaves a mark and waits,
// so that the kill comes exactly there.
import { writeFileSync } from 'node:fs';
import type { MeshActivities } from '../../activities/index.js';
import { readSettings } from '../../contract/settings.js';
import { createWorker } from '../../worker/create-worker.js';
import { makeWorld } from '../../worker/make-world.js';
import { BUNDLE } from './paths.js';
import { installQuietRuntime } from './quiet-runtime.js';
import type { KillPoint, WorkerProcessSettings } from './worker-process.js';

const given = JSON.parse(process.argv[2] ?? '') as WorkerProcessSettings;

installQuietRuntime();
const world = makeWorld({
  settings: { ...readSettings({}).settings, ...given.settings },
  env: process.env,
  log: { info: () => undefined, error: (_meta, message) => process.stderr.write(`${message}\n`) },
  temporalUi: undefined,
});
const worker = await createWorker({
  connection: { address: given.address, namespace: 'default', options: {}, isGiven: true },
  world,
  bundlePath: BUNDLE,
  wrap: (activities) => stopAt(given.killPoint, activities),
});
process.on('SIGTERM', () => worker.shutdown());
process.send?.('ready');
await worker.run();
process.disconnect?.();

function stopAt(point: KillPoint | undefined, activities: MeshActivities): MeshActivities {
  switch (point) {
    case undefined:
      return activities;
    case 'before-match':
      return { ...activities, matchEvents: waitBefore(activities.matchEvents) };
    case 'before-start':
      return { ...activities, startRemediations: waitBefore(activities.startRemediations) };
    case 'after-start':
      return { ...activities, startRemediations: waitAfter(activities.startRemediations) };
    case 'after-bridge':
      return { ...activities, warmRemoteCapacity: waitAfter(activities.warmRemoteCapacity) };
    case 'after-mail':
      return { ...activities, deliverNotification: waitAfter(activities.deliverNotification) };
  }
}

function waitBefore<Request, Answer>(
  _activity: (request: Request) => Promise<Answer>,
): (request: Request) => Promise<Answer> {
  return () => markAndWait();
}

function waitAfter<Request, Answer>(
  activity: (request: Request) => Promise<Answer>,
): (request: Request) => Promise<Answer> {
  return async (request) => {
    await activity(request);
    return markAndWait();
  };
}

function markAndWait(): Promise<never> {
  writeFileSync(given.markFile, 'here');
  return new Promise(() => undefined);
}
