import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectMesh } from '#client/mesh.js';
import { readSettings } from '#contract/settings.js';
import { createWorker } from '#worker/create-worker.js';
import { freePort, startDevServer } from '#worker/dev/dev-server.js';
import { makeWorld } from '#worker/make-world.js';
import { findTemporal } from '#worker/dev/temporal-binary.js';
import { startBridgeServer } from '../support/bridge-server.js';
import { eventually } from '../support/eventually.js';
import { type HttpTarget, startHttpTarget, type TargetRequest } from '../support/http-target.js';
import { mailingThrough, type ReceivedMail, startMailServer } from '../support/mail-server.js';
import { BUNDLE } from '../support/paths.js';
import type { Recorded } from './recorded.js';
import { createRecorder } from './recorder.js';
import { configOf, EVENTS, PAGERDUTY_KEY, RULES, WEBHOOK_SECRET } from './story.js';
import type { Setting } from './write-messages.js';

/** What stood at the receivers in the end. */
export interface Received {
  mails: ReceivedMail[];
  slack: TargetRequest[];
  pagerduty: TargetRequest[];
  webhook: TargetRequest[];
  /** By file, such as `on-call/inboxes/alice.json`. */
  inbox: Record<string, unknown[]>;
}

export interface StoryRun {
  setting: Setting;
  recorded: Recorded;
  received: Received;
}

/** Plays the story: a Temporal server, a worker, a mail server and receivers of HTTP, all of them real. */
export async function runStory(): Promise<StoryRun> {
  const folder = await mkdtemp(join(tmpdir(), 'mesh-story-'));
  const [mail, bridge, slack, pagerduty, webhook] = await Promise.all([
    startMailServer(),
    startBridgeServer(),
    receiver(200, 'ok'),
    receiver(202, '{"status":"success"}'),
    receiver(204),
  ]);
  const server = await startDevServer({
    binary: await findTemporal({ env: process.env, say: console.error }),
    port: await freePort(),
    databaseFile: join(folder, 'temporal.db'),
    namespace: 'default',
  });
  const connection = { address: server.address, namespace: 'default', options: {}, isGiven: true };
  const inboxes = join(folder, 'teams');
  const places = { pagerduty: pagerduty.url, webhook: webhook.url, inboxes, bridge: bridge.url };
  const settings = await writeSettings(folder, configOf(places), mail.url);
  const recorder = createRecorder();
  const worker = await createWorker({
    connection,
    bundlePath: BUNDLE,
    wrap: recorder.wrap,
    world: await makeWorld({
      settings,
      env: { ...process.env, SLACK_ON_CALL: slack.url, PAGERDUTY_KEY, WEBHOOK_SECRET },
      log: { info: () => undefined, error: (_meta, message) => console.error(message) },
      temporalUi: undefined,
    }),
  });
  const working = worker.run();
  const mesh = await connectMesh({ connection });
  try {
    const { occurredAgoMs, ...incident } = EVENTS.incident;
    await mesh.report([{ ...incident, occurredAt: Date.now() - occurredAgoMs }]);
    await arrived('the incident', mail.mails, 2);
    await arrived('its alert', pagerduty.requests, 1);
    await mesh.report([...EVENTS.more]);
    await mesh.report([EVENTS.success]);
    // The alert is held until the cooldown ends.
    await mesh.rearm('default', 'ci-runners-lost');
    await arrived('the end of the alert', pagerduty.requests, 2);
    await arrived('the digest', mail.mails, 4);
    await mesh.report([EVENTS.hostile]);
    await arrived('the hostile message', mail.mails, 6);
    await eventually('all that was planned', () => (recorder.isAllDelivered() ? true : undefined), 60_000);
    return {
      setting: { places, temporalAddress: server.address },
      recorded: recorder.recorded(),
      received: {
        mails: mail.mails,
        slack: slack.requests,
        pagerduty: pagerduty.requests,
        webhook: webhook.requests,
        inbox: await readInboxes(inboxes),
      },
    };
  } finally {
    worker.shutdown();
    await working;
    await mesh.close();
    await server.stop();
    await Promise.all([mail, bridge, slack, pagerduty, webhook].map((receiver) => receiver.close()));
    await rm(folder, { recursive: true, force: true });
  }
}

async function receiver(status: number, body = ''): Promise<HttpTarget> {
  const target = await startHttpTarget();
  target.answer({ status, body });
  return target;
}

async function writeSettings(folder: string, config: unknown, smtpUrl: string) {
  const [rules, configFile] = [join(folder, 'rules'), join(folder, 'mesh.yaml')];
  await mkdir(rules);
  await writeFile(join(rules, 'default.json'), JSON.stringify(RULES));
  await writeFile(configFile, JSON.stringify(mailingThrough(smtpUrl, config)));
  return { ...readSettings({}).settings, rules, config: configFile, home: join(folder, 'home') };
}

function arrived(what: string, list: unknown[], count: number): Promise<true> {
  return eventually(what, () => (list.length >= count ? true : undefined), 60_000);
}

async function readInboxes(folder: string): Promise<Record<string, unknown[]>> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.json'));
  const read = files.map(
    async (file) => [file, JSON.parse(await readFile(join(folder, file), 'utf8')) as unknown[]] as const,
  );
  return Object.fromEntries(await Promise.all(read));
}
