import { defaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { expect, test } from 'vitest';
import { retriedActivities } from '#client/retried-activities.js';
import { recipientEffectKey } from '#contract/ids.js';
import { aDetail } from './cli/render/samples.js';

type Pending = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

const { actions } = aDetail();
const CONVERTER = {
  payloadConverter: defaultPayloadConverter,
  failureConverter: defaultFailureConverter,
  payloadCodecs: [],
};
const FAILED = { lastFailure: { message: 'refused' } };
const SCHEDULED = 1;
const STARTED = 2;
const PAUSED = 4;

test('nothing is asked of the server while nothing has failed', async () => {
  const server = fakeServer([]);

  expect(await read(server, { activityId: '1', attempt: 1, state: STARTED })).toEqual([]);
  expect(server.asked).toEqual([]);
});

test.each<[string, Pending, object]>([
  [
    'waits for its time',
    { state: SCHEDULED, nextAttemptScheduleTime: { nanos: 5_000_000 } },
    { state: 'waiting', nextAt: 5 },
  ],
  ['waits for a worker', { state: SCHEDULED }, { state: 'queued' }],
  ['runs', { state: STARTED }, { state: 'running' }],
  ['is paused', { state: PAUSED }, { state: 'paused' }],
  ['is paused between attempts', { state: SCHEDULED, paused: true, nextAttemptScheduleTime: {} }, { state: 'paused' }],
])('one that %s is told apart', async (_name, pending, expected) => {
  const [found] = await read(fakeServer([[]]), { activityId: '1', attempt: 3, ...FAILED, ...pending });

  expect(found).toEqual({ doing: 'an activity', attempt: 3, lastError: 'refused', ...expected });
});

test('a delivery is found by its effect key, any other activity by its plan, and no more pages are read than are needed', async () => {
  const [agent, tell] = actions;
  const delivery = 'slack/ops';
  const effectKey = recipientEffectKey(tell?.effectKey ?? '', delivery);
  const server = fakeServer([
    [scheduled('1', { plan: agent }, 'start it'), scheduled('2', { delivery, effectKey: 'of another' }, 'tell none')],
    [scheduled('3', { delivery, effectKey }, 'tell ops'), scheduled('4', null), scheduled('9', {}, 'not asked for')],
    [],
  ]);

  const found = await read(server, ...['1', '2', '3', '4'].map((activityId) => ({ activityId, ...FAILED })));

  expect(found.map(({ action, delivery: to, doing }) => ({ action, to, doing }))).toEqual([
    { action: 'agent', doing: 'start it' },
    { to: delivery, doing: 'tell none' },
    { action: 'tell', to: delivery, doing: 'tell ops' },
    { doing: 'deliverNotification' },
  ]);
  expect(server.asked).toEqual([undefined, 1]);
});

test('a worker that died is called that, and a failure without a word is one', async () => {
  const found = await read(
    fakeServer([[]]),
    { activityId: '1', lastFailure: { message: 'activity Heartbeat timeout', timeoutFailureInfo: { timeoutType: 4 } } },
    { activityId: '2', lastFailure: { message: '' } },
  );

  expect(found.map(({ lastError }) => lastError)).toEqual([
    'the worker that ran it stopped responding',
    'it gave no reason',
  ]);
});

interface FakeServer {
  pages: object[][];
  /** Which pages were asked for. */
  asked: (number | undefined)[];
}

function fakeServer(pages: object[][]): FakeServer {
  return { pages, asked: [] };
}

function read({ pages, asked }: FakeServer, ...pendingActivities: Pending[]) {
  const client = {
    options: { namespace: 'default', loadedDataConverter: CONVERTER },
    workflowService: {
      async getWorkflowExecutionHistory({ nextPageToken }: { nextPageToken?: Uint8Array }) {
        asked.push(nextPageToken?.[0]);
        const page = nextPageToken?.[0] ?? 0;
        const next = page + 1 < pages.length ? Uint8Array.of(page + 1) : new Uint8Array();
        return { history: { events: pages[page] }, nextPageToken: next };
      },
    },
  } as unknown as Client;
  const description = { workflowId: 'w', runId: 'r', raw: { pendingActivities } } as WorkflowExecutionDescription;
  return retriedActivities(client, description, actions);
}

function scheduled(activityId: string, input: object | null, summary?: string): object {
  const activityTaskScheduledEventAttributes = {
    activityId,
    activityType: { name: 'deliverNotification' },
    input: { payloads: [defaultPayloadConverter.toPayload(input)] },
  };
  return {
    activityTaskScheduledEventAttributes,
    ...(summary !== undefined && { userMetadata: { summary: defaultPayloadConverter.toPayload(summary) } }),
  };
}
