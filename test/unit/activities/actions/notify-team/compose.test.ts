import { describe, expect, test } from 'vitest';
import { makeComposeNotification } from '../../../../../activities/actions/notify-team/compose.js';
import type { MeshConfig } from '../../../../../config/mesh-config.js';
import type { ActionPlan } from '../../../../../contract/actions/index.js';
import type { ActionRequest } from '../../../../../contract/activities.js';
import type { NotificationMessage } from '../../../../../contract/notification.js';
import type { ActionResult, Launch } from '../../../../../contract/remediation.js';
import {
  aMeshConfig,
  aNotifyRequest,
  aRemediation,
  type Remediated,
  TWO_WITH_MAIL,
} from '../../../../support/notifications.js';

const TEAM = { notify: { defaultTeam: 'ops' } };

function compose(
  remediated: Remediated & { quietForMs?: number } = {},
  more: Partial<ActionRequest<ActionPlan>> = {},
  { config = aMeshConfig(TEAM), ui, redactKeys = [] }: { config?: MeshConfig; ui?: string; redactKeys?: string[] } = {},
) {
  const { quietForMs, ...rest } = remediated;
  const planned = aRemediation(rest);
  const remediation =
    quietForMs === undefined
      ? planned
      : { ...planned, quiet: { cooldownUntilAt: Date.now() + quietForMs, label: 'Bash' } };
  return makeComposeNotification({
    config: { get: async () => ({ available: true as const, value: config, hash: 'h', problems: [] }) },
    redactKeys,
    temporalUi: ui,
    temporal: { address: '127.0.0.1:7233', namespace: 'default' },
  })(aNotifyRequest(remediation, more));
}

async function messageOf(...asked: Parameters<typeof compose>): Promise<NotificationMessage> {
  const draft = await compose(...asked);
  if (draft.status === 'skipped') throw new Error(draft.reason);
  return draft.message;
}

const TELL = { type: 'notify_team' as const, id: 'tell' };

describe('who is told', () => {
  test.each([
    ['no team', {}, aMeshConfig(), 'No team context is available for notify_team action'],
    ['an unknown team', { ...TELL, teamName: 'ghosts' }, aMeshConfig(TEAM), 'Team file not found for team ghosts'],
    [
      'nobody left',
      { ...TELL, recipients: ['eve'] },
      aMeshConfig(TEAM),
      'No eligible recipients for notify_team action',
    ],
  ])('%s: skipped, with the reason of the rule format', async (_, action, config, reason) => {
    expect(await compose({ actions: [{ ...TELL, ...action }] }, {}, { config })).toMatchObject({
      status: 'skipped',
      reason,
    });
  });

  test('everyone but the agent that reported it', async () => {
    const draft = await compose({ event: { agent: 'ada' } });

    expect(draft).toMatchObject({ status: 'ready', deliveries: [{ delivery: 'email/bob' }] });
  });

  test("a name that the rule drops is noted, and the event's own team is taken", async () => {
    const config = aMeshConfig({ teams: { dev: TWO_WITH_MAIL, ops: { members: [{ name: 'eve' }] } }, ...TEAM });
    const event = { payload: { team_name: 'dev' } };

    const draft = await compose({ actions: [{ ...TELL, recipients: ['bob', 'Bob'] }], event }, {}, { config });

    expect(draft).toMatchObject({
      status: 'ready',
      deliveries: [{ team: 'dev', recipient: 'bob' }],
      note: 'not in the team: Bob',
    });
  });

  test('for as long as the configuration says', async () => {
    const config = aMeshConfig({ notify: { defaultTeam: 'ops', retry: { giveUpAfterMs: 1_234 } } });

    expect(await compose({}, {}, { config })).toMatchObject({ giveUpAfterMs: 1_234 });
  });
});

describe('one thread', () => {
  const threadOf = async (...asked: Parameters<typeof compose>) => {
    const draft = await compose(...asked);
    return draft.status === 'ready' ? draft.threadKey : undefined;
  };

  test.each([
    ['the same session', { session: 's' }, { id: 'e-2', session: 's' }, true],
    ['another session', { session: 's' }, { session: 't' }, false],
    ['the same task', { payload: { task_id: '1' } }, { id: 'e-2', payload: { taskId: '1' } }, true],
    ['another task', { session: 's', payload: { task_id: '1' } }, { session: 's', payload: { task_id: '2' } }, false],
    [
      'the same number of another session',
      { session: 's', payload: { task_id: '1' } },
      { session: 't', payload: { task_id: '1' } },
      false,
    ],
    ['another event of neither', { id: 'e-1' }, { id: 'e-2' }, false],
    ['another tenant', { session: 's' }, { session: 's', tenant: 'other' }, false],
  ])('%s', async (_, first, second, isSame) => {
    const [one, other] = [await threadOf({ event: first }), await threadOf({ event: second })];

    expect(one === other).toBe(isSame);
  });

  test('another rule is another one', async () => {
    const event = { session: 's' };

    expect(await threadOf({ event, rule: 'one' })).not.toBe(await threadOf({ event, rule: 'two' }));
  });
});

describe('the message', () => {
  test('by default says what the rule format says', async () => {
    const message = await messageOf({
      event: { session: 's-1', payload: { error: 'boom', task_id: '7', task_subject: 'Build' } },
    });

    expect(message.subject).toBe('Hook chain a-rule triggered (PostToolUseFailure/failed)');
    expect(message.body.split('\n')).toEqual([
      'A chain rule fired.',
      '',
      'Rule: a-rule',
      'Event: PostToolUseFailure',
      'Outcome: failed',
      'Error: boom',
      'Task: Build',
      'Session: s-1',
      'Payload: {"error":"boom","task_id":"7","task_subject":"Build"}',
    ]);
    expect(message).toMatchObject({ bodyRepeatsFacts: true, error: 'boom', outcome: 'failed', tenant: 'default' });
  });

  test('says what a rule wants said, and never expands what an event says', async () => {
    const message = await messageOf({
      actions: [{ ...TELL, summary: '${RULE_ID}: ${ERROR}', messageTemplate: 'Look: ${ERROR}\nTask ${TASK_ID}' }],
      event: { payload: { error: '${PAYLOAD_JSON}', task_id: '7' } },
    });

    expect(message.subject).toBe('a-rule: ${PAYLOAD_JSON}');
    expect(message.body).toBe('Look: ${PAYLOAD_JSON}\nTask 7');
    expect(message.bodyRepeatsFacts).toBeUndefined();
  });

  test('has a subject even if nothing is left of the template', async () => {
    const { subject } = await messageOf({ actions: [{ ...TELL, summary: '${ERROR}' }] });

    expect(subject).toBe('Hook chain a-rule triggered (PostToolUseFailure/failed)');
  });

  test('sets in what an event says on several lines, so that none passes for one of the rule', async () => {
    const { body, subject } = await messageOf({
      actions: [{ ...TELL, summary: '${ERROR}', messageTemplate: '${ERROR}\nend' }],
      event: { payload: { error: 'one\r\nApproved by: the boss\u202e' } },
    });

    expect(body).toBe('one\n    Approved by: the boss\\u202e\nend');
    expect(subject).toBe('one Approved by: the boss\\u202e');
  });

  test('tells what each earlier action came to, and not of later ones', async () => {
    const actions = [
      { type: 'spawn_fallback_agent' as const, id: 'try' },
      { type: 'warm_remote_capacity' as const },
      { type: 'spawn_fallback_agent' as const, id: 'slow' },
      TELL,
      { type: 'notify_team' as const, id: 'boss' },
    ];
    const { did, toCome } = await messageOf(
      { actions },
      {
        soFar: [
          {
            action: 'try',
            type: 'spawn_fallback_agent',
            status: 'failed',
            reason: 'exit code 2',
            attempts: 3,
            launches: [
              { launcher: 'claude', status: 'failed', reason: 'not found', attempts: 1 },
              { launcher: 'goclaw', status: 'launched', attempts: 2 },
            ],
            agent: {
              launcher: 'goclaw',
              id: 'a-7',
              outcome: 'failed',
              outputTail: `${'x'.repeat(5_000)}\r\nI gave up\n`,
            },
          },
          {
            action: 'warm_remote_capacity:1',
            type: 'warm_remote_capacity',
            status: 'executed',
            detail: 'warmed',
            attempts: 1,
          },
        ],
        pending: [
          { action: 'slow', type: 'spawn_fallback_agent', status: 'running', note: 'waits for a slot' },
          { action: 'boss', type: 'notify_team', status: 'waiting' },
        ],
      },
    );

    expect(did).toEqual([
      {
        action: 'try',
        type: 'spawn_fallback_agent',
        state: 'failed',
        text: expect.stringMatching(/^exit code 2\nclaude: not found\n/) as string,
      },
      {
        action: 'warm_remote_capacity:1',
        type: 'warm_remote_capacity',
        state: 'executed',
        text: 'warmed\nat least 1 for 15 min, then given back',
      },
      { action: 'slow', type: 'spawn_fallback_agent', state: 'running', text: 'waits for a slot' },
    ]);
    expect(did[0]?.text).toMatch(/\ngoclaw \(agent a-7\) said at the end:\n {2}…x+\n {2}I gave up$/);
    expect(did[0]?.text?.length).toBeLessThan(1_200);
    expect(toCome).toEqual([{ action: 'boss', type: 'notify_team' }]);
  });

  test('tells why each launcher failed, once, and how an agent ended that did not fail', async () => {
    const result: ActionResult = { action: 'try', type: 'spawn_fallback_agent', status: 'failed', attempts: 3 };
    const claude: Launch = { launcher: 'claude', status: 'failed', reason: 'exit code 1', attempts: 2 };
    const launches: Launch[] = [claude, { launcher: 'codex', status: 'failed', reason: 'exit code 1', attempts: 1 }];
    const textOf = async (more: Partial<ActionResult>) => {
      const actions = [{ type: 'spawn_fallback_agent' as const, id: 'try' }, TELL];
      return (await messageOf({ actions }, { soFar: [{ ...result, ...more }] })).did[0]?.text?.split('\n');
    };

    expect(await textOf({ reason: 'claude: exit code 1; codex: exit code 1', launches })).toEqual([
      'claude: exit code 1 (after 2 attempts)',
      'codex: exit code 1',
    ]);
    expect(await textOf({ reason: 'exit code 1', launches: [claude] })).toEqual(['exit code 1 (after 3 attempts)']);
    expect(
      await textOf({
        status: 'executed',
        detail: 'ran; ok',
        launches: [claude, { launcher: 'codex', status: 'launched', attempts: 1 }],
        agent: { launcher: 'codex', outcome: 'success', outputTail: 'ok' },
      }),
    ).toEqual(['claude: exit code 1 (after 2 attempts)', 'codex ended well', 'codex said at the end:', '  ok']);
  });

  test('tells who was not reached by an earlier message', async () => {
    const { did } = await messageOf(
      { actions: [{ type: 'notify_team', id: 'first' }, TELL] },
      {
        soFar: [
          {
            action: 'first',
            type: 'notify_team',
            status: 'failed',
            reason: 'not delivered to bob by email: refused',
            attempts: 1,
            deliveries: [
              { delivery: 'email/ada', channel: 'email', recipient: 'ada', status: 'delivered', attempts: 1 },
              {
                delivery: 'email/bob',
                channel: 'email',
                recipient: 'bob',
                status: 'failed',
                attempts: 1,
                error: 'refused',
              },
            ],
          },
        ],
      },
    );

    expect(did[0]?.text).toBe('not delivered to bob by email: refused');
  });

  test('can tell of the agent that was started before', async () => {
    const { body } = await messageOf(
      {
        actions: [
          { type: 'spawn_fallback_agent', id: 'try' },
          { ...TELL, messageTemplate: '${AGENT_ID} ${AGENT_OUTCOME}: ${AGENT_OUTPUT_TAIL}' },
        ],
      },
      {
        soFar: [
          {
            action: 'try',
            type: 'spawn_fallback_agent',
            status: 'failed',
            attempts: 1,
            agent: { launcher: 'claude', id: 'a-7', outcome: 'failed', outputTail: 'no luck' },
          },
        ],
      },
    );

    expect(body).toBe('a-7 failed: no luck');
  });

  test('says what stays quiet, and until when', async () => {
    const { quiet } = await messageOf({ quietForMs: 60_000 });

    expect(quiet).toEqual([{ what: 'rule a-rule for Bash', untilAt: expect.any(Number) as number }]);
  });

  test('says nothing of a cooldown that is over', async () => {
    expect((await messageOf({ quietForMs: -1 })).quiet).toEqual([]);
  });

  test('links to the run, where the operator says the UI is', async () => {
    const config = aMeshConfig({ ...TEAM, temporalUi: 'https://ui.example.com/temporal/' });
    const url = (base: string) => `${base}/namespaces/default/workflows/remediation%2Fdefault%2Fa-rule%2Fevent-1`;

    expect((await messageOf({}, {}, { config, ui: 'https://other.example' })).links).toEqual([
      { text: 'Open the run', url: url('https://ui.example.com/temporal') },
    ]);
    expect((await messageOf({}, {}, { ui: 'http://127.0.0.1:8233' })).links[0]?.url).toBe(url('http://127.0.0.1:8233'));
    expect((await messageOf()).links).toEqual([]);
  });

  test('hides what the configuration calls secret, wherever it stands', async () => {
    const config = aMeshConfig({ ...TEAM, redact: { keys: ['customer'], patterns: ['INT-[0-9]{4}'] } });
    const message = await messageOf(
      {
        actions: [
          { type: 'warm_remote_capacity', id: 'warm' },
          { ...TELL, summary: 'INT-1111 ${ERROR}', messageTemplate: '${ERROR} ${PAYLOAD_JSON}' },
        ],
        event: {
          session: 'INT-2222',
          payload: { error: 'INT-3333', customer: 'Jane', pin: 'hush', task_subject: 'INT-4444' },
        },
      },
      { soFar: [{ action: 'warm', type: 'warm_remote_capacity', status: 'failed', reason: 'INT-5555', attempts: 1 }] },
      { config, redactKeys: ['pin'] },
    );

    expect(JSON.stringify(message)).not.toMatch(/INT-\d|Jane|hush/);
    expect(message.error).toBe('[redacted]');
  });

  test('stays of a size that a history bears, however large the event is', async () => {
    const message = await messageOf({
      event: { payload: { error: 'x'.repeat(8_000), more: Array(20).fill('y'.repeat(8_000)) } },
    });

    expect(JSON.stringify(message).length).toBeLessThan(40_000);
  });
});
