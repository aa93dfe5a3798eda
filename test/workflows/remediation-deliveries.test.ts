import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { NotificationDraft, DeliveryRequest } from '../../contract/notification.js';
import type { DigestNotice, NoticeResult, ResolveNotice } from '../../contract/notice.js';
import { QUERIES, WORKFLOW_TYPES } from '../../contract/names.js';
import type { RemediationInput, RemediationProgress, RemediationResult } from '../../contract/remediation.js';
import { aRemediation } from '../support/a-remediation.js';
import { type BareWorker, startBareWorker } from '../support/bare-worker.js';
import { eventually } from '../support/eventually.js';
import { failedResult } from '../support/failed-result.js';

// How messages are delivered, whatever the channel: the activities are the test's own and answer as channels do.

const TELL = { type: 'notify_team', id: 'tell' } as const;
const INCIDENT = { tenant: 'default', rule: 'a-rule', remediation: 'remediation/x', root: 'e-0', task: 't-1' };

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
      return { delivery, team: 'ops', channel, recipient, incident: INCIDENT };
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

function failure(message: string, nonRetryable: boolean): ApplicationFailure {
  const attempts = Context.current().info.attempt;
  return ApplicationFailure.create({
    message,
    nonRetryable,
    details: [{ attempts, detail: 'said by the receiver' }],
    nextRetryDelay: 50,
  });
}

async function run(input: RemediationInput = aRemediation([TELL])): Promise<RemediationInput> {
  handle = await worker.start(WORKFLOW_TYPES.remediate, input.id, input);
  return input;
}

const result = () => handle.result() as Promise<RemediationResult>;

const detailsShown = async (of: WorkflowHandle) =>
  (await of.query<{ currentDetails?: string }>('__temporal_workflow_metadata')).currentDetails ?? '';

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
    expect(taken[0]).toMatchObject({ threadKey: 'a-rule/t-1', incident: INCIDENT, message: { subject: 'it broke' } });
  });

  test('one receiver that never works delays nobody else, and the record says who did not get it', async () => {
    let isMended = false;
    receivers = { 'mail/bob': downUntil(() => isMended) };
    await run();

    await eventually('others', () => (taken.length === 2 ? true : undefined));
    const { actions } = await eventually('progress', async () => {
      const progress = await handle.query<RemediationProgress>(QUERIES.progress);
      const [tell] = progress.actions;
      return tell?.deliveries?.length === 2 ? progress : undefined;
    });
    expect(actions).toMatchObject([
      {
        status: 'running',
        note: expect.stringMatching(/^not delivered yet: mail\/bob \(tried until .* UTC at the latest\)$/) as string,
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
  test('a large message to a large team goes out in waves, and no receiver waits for another', async () => {
    const names = Array.from({ length: 100 }, (_, n) => `mail/m-${n}`);
    draft = aDraft(...names);
    draft.message.body = 'x'.repeat(47 * 1024);
    let isMended = false;
    receivers = { 'mail/m-0': downUntil(() => isMended) };
    await run();

    await eventually('others', () => (taken.length === 99 ? true : undefined));
    isMended = true;

    const { actions } = await result();
    expect(actions).toMatchObject([{ status: 'executed' }]);
    expect(actions[0]?.deliveries?.map(({ delivery }) => delivery)).toEqual(names);
  });

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

  test('tries as often as the rule says, when it says so', async () => {
    receivers = { 'mail/bob': downUntil(() => false) };
    await run(aRemediation([{ ...TELL, retry: { maxAttempts: 3 } }]));

    const { actions } = await failedResult(handle.result());

    expect(actions[0]?.deliveries?.[1]).toMatchObject({ status: 'failed', attempts: 3, error: '451 try later' });
  });

  test('when the time is up, the record still tells what went wrong last', async () => {
    // As much more is given for the last attempt to end in: half a second is left.
    draft = { ...aDraft('mail/bob'), giveUpAfterMs: -14_500 };
    receivers = { 'mail/bob': downUntil(() => false) };
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

  test('an abort keeps what was delivered', async () => {
    receivers = { 'mail/bob': downUntil(() => false) };
    await run();
    await eventually('others', () => (taken.length === 2 ? true : undefined));

    await handle.cancel();

    expect(await result()).toMatchObject({
      outcome: 'aborted',
      actions: [
        {
          status: 'aborted',
          deliveries: [
            { delivery: 'mail/ada', status: 'delivered' },
            { delivery: 'mail/bob', status: 'aborted', error: 'aborted while it ran' },
            { delivery: 'chat/ops', status: 'delivered' },
          ],
        },
      ],
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
      incident: { ...INCIDENT, team: 'ops', channel: 'pager', key: 'k', resolveOn: ['task'], openedAt: 0 },
      by: { event: 'TaskCompleted', eventId: 'e-9' },
    });
    await eventually('note', async () =>
      (await detailsShown(handle)).includes('not delivered yet: mail/bob') ? true : undefined,
    );
    expect(await detailsShown(handle)).toContain('works again: event `TaskCompleted` `e-9` is a success.');
    await handle.cancel();
    expect(await handle.result()).toMatchObject({ outcome: 'aborted' });
  });
});
