import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { NotificationDraft, DeliveryRequest } from '#contract/notification.js';
import type { DigestNotice, NoticeResult, ResolveNotice } from '#contract/notice.js';
import { QUERIES, WORKFLOW_TYPES } from '#contract/names.js';
import type { RemediationInput, RemediationProgress, RemediationResult } from '#contract/remediation.js';
import { aRemediation } from '../support/a-remediation.js';
import { type BareWorker, startBareWorker } from '../support/bare-worker.js';
import { eventually } from '../support/eventually.js';
import { failedResult } from '../support/failed-result.js';

// How messages are delivered, whatever the channel: the activities are the test's own and answer as channels do.

const TELL = { type: 'notify_team', id: 'tell' } as const;
const ALERT = {
  ...{ tenant: 'default', rule: 'a-rule', remediation: 'remediation/x', root: 'e-0', task: 't-1' },
  occurredAt: 0,
};

/** For a hundred deliveries at once. */
const LARGE = { timeout: 90_000 };

type Receiver = (request: DeliveryRequest) => Promise<string>;

let worker: BareWorker;
let handle: WorkflowHandle;
let draft: NotificationDraft;
let receivers: Record<string, Receiver>;
let taken: DeliveryRequest[];

beforeAll(async () => {
  worker = await startBareWorker({
    composeNotification: async () => draft,
    composeNotice: async () => draft,
    async deliverNotification(request) {
      const receive = receivers[request.delivery] ?? takes;
      const detail = await receive(request);
      taken.push(request);
      return { status: 'executed', detail, attempts: Context.current().info.attempt };
    },
  });
});

afterAll(() => worker.stop());

beforeEach(() => {
  draft = aDraft('mail/ada', 'mail/bob', 'chat/ops');
  receivers = {};
  taken = [];
});

function aDraft(...deliveries: string[]): Extract<NotificationDraft, { status: 'ready' }> {
  return {
    status: 'ready',
    threadKey: 'a-rule/t-1',
    giveUpAfterMs: 60_000,
    message: {
      kind: 'remediation',
      tenant: 'default',
      rule: 'a-rule',
      at: 0,
      writtenAt: 0,
      subject: 'it broke',
      body: 'it broke',
      facts: [],
      did: [],
      quiet: [],
      links: [],
      commands: [],
    },
    deliveries: deliveries.map((delivery) => {
      const [channel = '', recipient = ''] = delivery.split('/');
      return { delivery, team: 'ops', channel, recipient, alert: ALERT };
    }),
  };
}

const takes: Receiver = async () => 'taken';

const refuses =
  (message: string): Receiver =>
  async () => {
    throw failure(message, true);
  };

/** Asks to try later until it is mended. */
function downUntil(isMended: () => boolean): Receiver {
  return async () => {
    if (isMended()) return 'taken at last';
    throw failure('451 try later', false);
  };
}

function failure(message: string, nonRetryable: boolean, nextRetryDelay = 50): ApplicationFailure {
  const attempts = Context.current().info.attempt;
  return ApplicationFailure.create({
    message,
    nonRetryable,
    details: [{ attempts, detail: 'said by the receiver' }],
    nextRetryDelay,
  });
}

async function run(input: RemediationInput = aRemediation([TELL])): Promise<RemediationInput> {
  handle = await worker.start(WORKFLOW_TYPES.remediate, input.id, input);
  return input;
}

const result = () => handle.result() as Promise<RemediationResult>;

const detailsShown = async (of: WorkflowHandle) =>
  (await of.query<{ currentDetails?: string }>('__temporal_workflow_metadata')).currentDetails ?? '';

const BETWEEN = 'aborted between two attempts, or before the first';

describe('notify_team', () => {
  test('reaches everyone, each under an effect key of its own, in one thread', async () => {
    const { id } = await run();

    expect(await result()).toEqual({
      outcome: 'executed',
      actions: [
        {
          action: 'tell',
          type: 'notify_team',
          status: 'executed',
          detail: 'Team notification sent to 3 recipient(s); taken',
          attempts: 1,
          deliveries: [
            {
              delivery: 'mail/ada',
              channel: 'mail',
              recipient: 'ada',
              status: 'delivered',
              attempts: 1,
              detail: 'taken',
            },
            {
              delivery: 'mail/bob',
              channel: 'mail',
              recipient: 'bob',
              status: 'delivered',
              attempts: 1,
              detail: 'taken',
            },
            {
              delivery: 'chat/ops',
              channel: 'chat',
              recipient: 'ops',
              status: 'delivered',
              attempts: 1,
              detail: 'taken',
            },
          ],
        },
      ],
    });
    expect(taken.map(({ effectKey }) => effectKey).sort()).toEqual(
      ['chat%2Fops', 'mail%2Fada', 'mail%2Fbob'].map((delivery) => `${id}/tell/${delivery}`),
    );
    expect(taken[0]).toMatchObject({ threadKey: 'a-rule/t-1', alert: ALERT, message: { subject: 'it broke' } });
  });

  test('one receiver that never works delays nobody else, and the record says who did not get it', async () => {
    let isMended = false;
    let tries = 0;
    receivers = { 'mail/bob': downUntil(() => ++tries > 0 && isMended) };
    await run();

    await eventually('others, and a first try', () => (taken.length === 2 && tries > 0 ? true : undefined));
    const { actions } = await eventually('progress', async () => {
      const progress = await handle.query<RemediationProgress>(QUERIES.progress);
      const [tell] = progress.actions;
      return tell?.deliveries?.length === 2 ? progress : undefined;
    });
    expect(actions).toMatchObject([
      {
        status: 'running',
        doing: { is: 'delivering', open: ['mail/bob'], untilAt: expect.any(Number) as number },
      },
    ]);
    expect(await detailsShown(handle)).toContain('not delivered yet: mail/bob');
    isMended = true;

    const { actions: done } = await result();
    expect(done[0]?.deliveries?.map(({ delivery, detail }) => [delivery, detail])).toEqual([
      ['mail/ada', 'taken'],
      ['mail/bob', 'taken at last'],
      ['chat/ops', 'taken'],
    ]);
    expect(done[0]?.attempts).toBeGreaterThan(1);
    expect(taken).toHaveLength(3);
  });

  // Started in one answer, these would be above the 4 MiB at which the server ends a workflow.
  test(
    'a large message to a large team goes out in several answers, and no receiver waits for another',
    LARGE,
    async () => {
      const names = Array.from({ length: 100 }, (_, n) => `mail/m-${n}`);
      draft = aDraft(...names);
      draft.message.body = 'x'.repeat(47 * 1024);
      let isMended = false;
      receivers = { 'mail/m-0': downUntil(() => isMended) };
      await run();

      await eventually('others', () => (taken.length === 99 ? true : undefined), 60_000);
      isMended = true;

      const { actions } = await result();
      expect(actions).toMatchObject([{ status: 'executed' }]);
      expect(actions[0]?.deliveries?.map(({ delivery }) => delivery)).toEqual(names);
    },
  );

  test('fails when a receiver refuses for good, and says which', async () => {
    receivers = { 'mail/bob': refuses('550 no such user'), 'chat/ops': refuses('404') };
    await run();

    const { actions } = await failedResult(handle.result());

    expect(actions).toMatchObject([
      {
        status: 'failed',
        reason: 'not delivered to bob by mail: 550 no such user; ops by chat: 404',
        deliveries: [
          { delivery: 'mail/ada', status: 'delivered' },
          { delivery: 'mail/bob', status: 'failed', attempts: 1, error: '550 no such user' },
          { delivery: 'chat/ops', status: 'failed', error: '404' },
        ],
      },
    ]);
    expect(await detailsShown(handle)).toContain('`mail/bob`: **failed** `550 no such user`');
  });

  // Of attempts that are put off the server knows nothing.
  test('leaves it to the activity how often it is tried, and hands it what the rule says', async () => {
    const retry = { maxAttempts: 1, initialIntervalMs: 10, maxIntervalMs: 10 };
    let tries = 0;
    receivers = { 'mail/bob': downUntil(() => ++tries > 3) };
    await run(aRemediation([{ ...TELL, retry }]));

    const { actions } = await result();

    expect(actions[0]?.deliveries?.[1]).toMatchObject({ status: 'delivered', attempts: 4 });
    expect(taken.map((request) => request.retry)).toEqual([retry, retry, retry]);
  });

  test('when the time is up, the record still tells what went wrong last', async () => {
    // As much more is given for the last attempt to end in: two seconds are left, in which a first one must have failed.
    draft = { ...aDraft('mail/bob'), giveUpAfterMs: -13_000 };
    let tries = 0;
    let end: () => void = () => undefined;
    onTestFinished(() => end());
    receivers = {
      async 'mail/bob'() {
        if (++tries === 1) throw failure('451 try later', false);
        // One that fails shortly before the time is up is told as it is.
        await new Promise<void>((resolve) => (end = resolve));
        throw failure('too late', true);
      },
    };
    await run(aRemediation([{ ...TELL, timeoutMs: 1 }]));

    const { actions } = await failedResult(handle.result());

    expect(actions[0]?.deliveries).toMatchObject([
      {
        status: 'failed',
        error: 'given up after all the time there was; the last error: 451 try later',
        detail: 'said by the receiver',
      },
    ]);
  });

  test('an abort between two attempts keeps what was delivered, and claims no number of attempts that nobody knows', async () => {
    receivers = { 'mail/bob': () => Promise.reject(failure('451 try later', false, 60_000)) };
    await run();
    // An attempt that is under way would fail in the moment of the abort, which is told otherwise.
    await eventually('others, and the time between two attempts', async () => {
      const [bob, ...more] = (await handle.describe()).raw.pendingActivities ?? [];
      return bob?.attempt === 2 && more.length === 0 ? true : undefined;
    });

    await handle.cancel();

    expect(await result()).toMatchObject({
      outcome: 'aborted',
      actions: [
        {
          status: 'aborted',
          attempts: 0,
          deliveries: [
            { delivery: 'mail/ada', status: 'delivered' },
            { delivery: 'mail/bob', status: 'aborted', attempts: 0, error: BETWEEN },
            { delivery: 'chat/ops', status: 'delivered' },
          ],
        },
      ],
    });
  });

  test('an attempt that finds out about the abort itself counts as the abort it is', async () => {
    const finds = (attempts: number, lastError?: string) => () => {
      const details = [{ attempts, ...(lastError !== undefined && { lastError }) }];
      return Promise.reject(ApplicationFailure.create({ type: 'aborted', nonRetryable: true, details }));
    };
    receivers = { 'mail/ada': finds(2, '451 try later'), 'mail/bob': finds(0) };
    await run();

    expect(await result()).toMatchObject({
      outcome: 'aborted',
      actions: [
        {
          status: 'aborted',
          deliveries: [
            { status: 'aborted', attempts: 2, error: 'aborted between two attempts; before that: 451 try later' },
            { status: 'aborted', attempts: 0, error: 'aborted before it started' },
            { status: 'delivered' },
          ],
        },
      ],
    });
  });

  test('an abort is what is seen, also where somebody else was not reached', async () => {
    receivers = { 'mail/ada': refuses('550 no such user'), 'mail/bob': downUntil(() => false) };
    await run();
    await eventually('the others', async () => {
      const [tell] = (await handle.query<RemediationProgress>(QUERIES.progress)).actions;
      return tell?.deliveries?.length === 2 ? true : undefined;
    });

    await handle.cancel();

    expect(await failedResult(result())).toMatchObject({
      outcome: 'aborted',
      actions: [
        { status: 'failed', deliveries: [{ status: 'failed' }, { status: 'aborted' }, { status: 'delivered' }] },
      ],
    });
  });

  describe('an attempt that fails in the moment of an abort', () => {
    /** Hears nothing of the abort, and fails once that is on its way. */
    async function failsThen(message: string, isFinal: boolean): Promise<void> {
      let goOn: () => void = () => undefined;
      const isAborted = new Promise<void>((resolve) => (goOn = resolve));
      let isAsked = false;
      draft = aDraft('mail/ada');
      receivers = {
        async 'mail/ada'() {
          isAsked = true;
          await isAborted;
          throw failure(message, isFinal);
        },
      };
      await run();
      await eventually('the attempt', () => isAsked || undefined);
      await handle.cancel();
      await eventually('the abort', async () => {
        const [activity] = (await handle.describe()).raw.pendingActivities ?? [];
        // As the server counts: 3 is that the cancellation was asked for.
        return Number(activity?.state) === 3 || undefined;
      });
      goOn();
    }

    test('would have been followed by another, so it has not given up', async () => {
      await failsThen('451 try later', false);

      expect(await result()).toMatchObject({
        outcome: 'aborted',
        actions: [
          {
            status: 'aborted',
            deliveries: [
              {
                status: 'aborted',
                attempts: 1,
                detail: 'said by the receiver',
                error: 'aborted while it was tried; the last attempt failed: 451 try later',
              },
            ],
          },
        ],
      });
    });

    test('has given up where nothing can help', async () => {
      await failsThen('550 no such user', true);

      expect(await failedResult(result())).toMatchObject({
        actions: [{ status: 'failed', deliveries: [{ status: 'failed', error: '550 no such user' }] }],
      });
    });
  });

  test('nobody to tell is skipped, with who was named in vain', async () => {
    draft = { status: 'skipped', reason: 'No eligible recipients', note: 'not in the team: eve' };
    await run();

    expect((await result()).actions).toMatchObject([
      { status: 'skipped', reason: 'No eligible recipients', detail: 'not in the team: eve' },
    ]);
  });

  test('retried, it delivers only what was not delivered, and the record is whole', async () => {
    receivers = { 'mail/bob': refuses('550 no such user') };
    const input = await run();
    const { actions: earlier } = await failedResult(handle.result());
    receivers = {};
    taken = [];
    draft = aDraft('mail/bob', 'chat/ops', 'chat/new');
    const again = await worker.start(WORKFLOW_TYPES.remediate, `${input.id}-again`, { ...input, earlier });

    const { outcome, actions } = (await again.result()) as RemediationResult;

    expect(outcome).toBe('executed');
    expect(taken.map(({ delivery }) => delivery).sort()).toEqual(['chat/new', 'mail/bob']);
    expect(taken.every(({ effectKey }) => effectKey.startsWith(`${input.id}/tell/`))).toBe(true);
    expect(actions[0]?.deliveries?.map(({ delivery, status }) => `${delivery} ${status}`)).toEqual([
      'mail/ada delivered',
      'mail/bob delivered',
      'chat/ops delivered',
      'chat/new delivered',
    ]);
  });
});

describe('a notice', () => {
  const digest: DigestNotice = {
    kind: 'digest',
    id: '',
    tenant: 'default',
    rule: 'a-rule',
    at: 0,
    suppressed: { events: 3, firstAt: 0, lastAt: 1_000, sessions: ['s-1'], moreSessions: 0 },
  };

  async function send(notice: DigestNotice | ResolveNotice): Promise<string> {
    const id = `digest/${aRemediation([TELL]).event.id}`;
    handle = await worker.start(WORKFLOW_TYPES.notice, id, { ...notice, id });
    return id;
  }

  const outcomeOf = async () => (await handle.describe()).searchAttributes['MeshOutcome'];

  test('is delivered like any message, and says so', async () => {
    const id = await send(digest);

    expect(await handle.result()).toMatchObject({ outcome: 'executed', deliveries: [{}, {}, {}] });
    expect(taken.map(({ effectKey }) => effectKey)).toContain(`${id}/mail%2Fada`);
    expect(await outcomeOf()).toEqual(['executed']);
    const details = await detailsShown(handle);
    expect(details).toContain('Done: everyone has got it');
    expect(details).toContain('It kept 3 events quiet');
  });

  test('closes as failed when it has not reached everyone', async () => {
    receivers = { 'mail/bob': refuses('550 no such user') };
    await send(digest);

    const error: unknown = await handle.result().catch((reason: unknown) => reason);

    const cause = (error as Error).cause as ApplicationFailure;
    expect(cause.type).toBe('notice-failed');
    expect(cause.message).toBe('not delivered to bob by mail: 550 no such user');
    expect(cause.details?.[0] as NoticeResult).toMatchObject({ outcome: 'failed', deliveries: [{}, {}, {}] });
    expect(await outcomeOf()).toEqual(['failed']);
    expect(await detailsShown(handle)).toContain('`mail/bob`: **failed**');
  });

  test('for nobody is skipped; an abort ends it', async () => {
    draft = { status: 'skipped', reason: 'No eligible recipients' };
    await send(digest);
    expect(await handle.result()).toMatchObject({ outcome: 'skipped', reason: 'No eligible recipients' });

    draft = aDraft('mail/bob');
    receivers = { 'mail/bob': downUntil(() => false) };
    await send({
      ...digest,
      kind: 'resolve',
      alert: { ...ALERT, team: 'ops', channel: 'pager', key: 'k', resolveOn: 'task', openedAt: 0 },
      by: { event: 'TaskCompleted', eventId: 'e-9' },
    });
    await eventually('note', async () =>
      (await detailsShown(handle)).includes('not delivered yet: mail/bob') ? true : undefined,
    );
    expect(await detailsShown(handle)).toContain('works again: event `TaskCompleted` `e-9` is a success.');
    await handle.cancel();
    expect(await handle.result()).toMatchObject({ outcome: 'aborted' });
  });

  test('that is cancelled before any worker has taken it up is written by none', async () => {
    const taskQueue = `${worker.taskQueue}-late`;
    const id = `digest/${aRemediation([TELL]).event.id}`;
    const args = [{ ...digest, id }];
    handle = await worker.client.workflow.start(WORKFLOW_TYPES.notice, { workflowId: id, taskQueue, args });
    await handle.cancel();

    const late = await startBareWorker({ composeNotice: () => Promise.reject(new Error('it was asked')) }, taskQueue);
    onTestFinished(() => late.stop());

    expect(await handle.result()).toEqual({ outcome: 'aborted', reason: 'aborted before it started', attempts: 0 });
  });
});
