import { randomBytes } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeStartNotice } from '#adapters/temporal/start-notice.js';
import { createRemediations, type Remediations } from '#client/remediations.js';
import { digestId } from '#contract/ids.js';
import { QUERIES } from '#contract/names.js';
import type { DigestNotice, NoticeResult } from '#contract/notice.js';
import type { DeliveryRequest, NotificationDraft } from '#contract/notification.js';
import { type BareWorker, startBareWorker } from '../support/bare-worker.js';
import { eventually } from '../support/eventually.js';

// A message of the mesh itself that did not reach everyone: how it is listed, and sent to those who have not got it.

type Draft = Extract<NotificationDraft, { status: 'ready' }>;

let worker: BareWorker;
let sdk: Remediations;
let tenant: string;
let compose: () => NotificationDraft;
/** What becomes of deliveries; what is not named is taken. */
let fates: Record<string, 'refused' | 'tried later'>;
let taken: DeliveryRequest[];

beforeAll(async () => {
  worker = await startBareWorker({
    composeNotice: async () => compose(),
    async deliverNotification(request) {
      const fate = fates[request.delivery];
      if (fate === undefined) {
        taken.push(request);
        return { status: 'executed', detail: 'taken', attempts: 1 };
      }
      const nonRetryable = fate === 'refused';
      throw ApplicationFailure.create({ message: '550 no such user', nonRetryable, nextRetryDelay: 60_000 });
    },
  });
  sdk = createRemediations(worker.client);
});
afterAll(() => worker.stop());
beforeEach(() => {
  tenant = `t-${randomBytes(6).toString('hex')}`;
  compose = () => draftFor('mail/ada', 'mail/bob', 'chat/ops');
  fates = {};
  taken = [];
});

function draftFor(...deliveries: string[]): Draft {
  const none = { facts: [], did: [], quiet: [], links: [], commands: [] };
  return {
    status: 'ready',
    threadKey: 'k',
    giveUpAfterMs: 60_000,
    message: { kind: 'digest', tenant, rule: 'a-rule', at: 0, writtenAt: 0, subject: 'quiet', body: 'quiet', ...none },
    deliveries: deliveries.map((delivery) => {
      const [channel = '', recipient = ''] = delivery.split('/');
      return { delivery, team: 'ops', channel, recipient };
    }),
  };
}

/** As the watch does. */
async function send(): Promise<string> {
  const id = digestId(tenant, 'a-rule', 'k', 1);
  const suppressed = { events: 1, firstAt: 0, lastAt: 0, sessions: [], moreSessions: 0 };
  const notice: DigestNotice = { kind: 'digest', id, tenant, rule: 'a-rule', at: 1, suppressed };
  await makeStartNotice(worker.client, worker.taskQueue)(notice);
  return id;
}

const ended = (id: string, runId?: string) =>
  worker.client.workflow
    .getHandle(id, runId)
    .result()
    .catch(() => undefined) as Promise<NoticeResult | undefined>;

const deadIds = async () => (await sdk.dead({ tenant })).dead.map(({ id, failed }) => [id, failed[0]?.reason]);

const listedDead = () =>
  eventually('the list', async () => ((await deadIds()).length > 0 ? await deadIds() : undefined));

test('is listed with why, and delivered again only to those who have not got it, under the same effect keys', async () => {
  fates = { 'mail/bob': 'refused' };
  const id = await send();
  await ended(id);
  expect(await listedDead()).toEqual([[id, 'not delivered to bob by mail: 550 no such user']]);

  fates = {};
  const { runId, actions } = await sdk.retry(id);
  const result = await ended(id, runId);

  expect(actions).toEqual(['mail/bob']);
  expect(taken.map(({ effectKey }) => effectKey).sort()).toEqual(
    ['chat%2Fops', 'mail%2Fada', 'mail%2Fbob'].map((delivery) => `${id}/${delivery}`),
  );
  expect(result).toMatchObject({ outcome: 'executed', deliveries: [{}, {}, {}] });
  const { type, searchAttributes } = await worker.client.workflow.getHandle(id).describe();
  expect([type, searchAttributes]).toMatchObject(['notice', { MeshTenant: [tenant], MeshOutcome: ['executed'] }]);
  await eventually('an empty list', async () => ((await deadIds()).length === 0 ? true : undefined));
});

test('may fail again, and be retried again: what any run has delivered stays delivered', async () => {
  fates = { 'mail/bob': 'refused', 'chat/ops': 'refused' };
  const id = await send();
  await ended(id);
  fates = { 'mail/bob': 'refused' };
  const first = await sdk.retry(id);
  await ended(id, first.runId);

  fates = {};
  const second = await sdk.retry(id);
  await ended(id, second.runId);

  expect([first.actions, second.actions]).toEqual([['mail/bob', 'chat/ops'], ['mail/bob']]);
  expect(taken.map(({ delivery }) => delivery)).toHaveLength(3);
});

test('could not even be written: it is written and sent', async () => {
  compose = () => {
    throw ApplicationFailure.create({ message: 'no rules', nonRetryable: true });
  };
  const id = await send();
  await ended(id);

  compose = () => draftFor('mail/ada');
  const { runId, actions } = await sdk.retry(id);

  expect(actions).toEqual(['digest']);
  expect(await ended(id, runId)).toMatchObject({ outcome: 'executed' });
});

test('was terminated: those who have got it are known, and told no second time', async () => {
  fates = { 'mail/bob': 'tried later' };
  const id = await send();
  const running = worker.client.workflow.getHandle(id);
  await eventually('the record of two deliveries', async () => {
    const { deliveries = [] } = await running.query<Partial<NoticeResult>>(QUERIES.progress);
    return deliveries.length === 2 ? true : undefined;
  });
  await running.terminate('by a test');

  fates = {};
  const { runId, actions } = await eventually('the end', () => sdk.retry(id).catch(() => undefined));

  expect(actions).toEqual(['digest']);
  expect(await ended(id, runId)).toMatchObject({ outcome: 'executed' });
  expect(taken.map(({ delivery }) => delivery).sort()).toEqual(['chat/ops', 'mail/ada', 'mail/bob']);
});

test('is not retried while it runs, when nothing is left to do, or when there is none', async () => {
  fates = { 'mail/bob': 'tried later' };
  const id = await send();
  await expect(sdk.retry(id)).rejects.toMatchObject({ code: 'conflict', message: `${id} is still being delivered` });
  await eventually('two deliveries', () => (taken.length === 2 ? true : undefined));
  await worker.client.workflow.getHandle(id).cancel();
  await ended(id);
  fates = {};
  // An operator has aborted it, and changed their mind.
  const { runId } = await sdk.retry(id);
  await ended(id, runId);

  await expect(sdk.retry(id)).rejects.toMatchObject({ code: 'conflict', message: `everyone has got ${id}` });
  const other = digestId(tenant, 'a-rule', 'k', 2);
  await expect(sdk.retry(other)).rejects.toMatchObject({
    code: 'not-found',
    message: `there is no message ${other}`,
  });
});
