import { describe, expect, test } from 'vitest';
import { whatNext, wordsOfQuiet } from '#activities/actions/notify-team/message/what-next.js';
import { makeComposeNotification } from '#activities/actions/notify-team/compose.js';
import type { MeshConfig } from '#config/mesh-config.js';
import type { ActionPlan } from '#contract/actions/index.js';
import type { ActionRequest } from '#contract/activities.js';
import type { NotificationMessage } from '#contract/notification.js';
import type { ActionResult, Launch, RemediationInput } from '#contract/remediation.js';
import { channelDelivery } from '#test/support/channel-delivery.js';
import {
  aMeshConfig,
  aNotifyRequest,
  aRemediation,
  type Remediated,
  TWO_WITH_MAIL,
} from '#test/support/notifications.js';

const TEAM = { notify: { defaultTeam: 'ops' } };

interface Quietened extends Remediated {
  quietForMs?: number;
  label?: string;
  /** By action: for how long equal events are repetitions. */
  repeatsForMs?: Record<string, number>;
  dedupBy?: string[];
  earlier?: ActionResult[];
}

function compose(
  { quietForMs, label = 'Bash', repeatsForMs, dedupBy, earlier, ...remediated }: Quietened = {},
  more: Partial<ActionRequest<ActionPlan>> = {},
  { config = aMeshConfig(TEAM), ui, redactKeys = [] }: { config?: MeshConfig; ui?: string; redactKeys?: string[] } = {},
) {
  const now = Date.now();
  const until = Object.entries(repeatsForMs ?? {}).map(([action, ms]) => ({ action, untilAt: now + ms }));
  const remediation: RemediationInput = {
    ...aRemediation(remediated),
    ...(quietForMs !== undefined && { quiet: { cooldownUntilAt: now + quietForMs, label } }),
    ...(earlier && { earlier }),
    ...(until.length > 0 && { repeats: { until, ...(dedupBy && { by: dedupBy }) } }),
  };
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

const EVERY_CHANNEL = [
  { type: 'email' },
  { type: 'slack', webhook: '${env:X}' },
  { type: 'pagerduty', routingKey: '${env:X}' },
  { type: 'webhook', url: 'https://hooks.example.com/', secret: '${env:X}' },
  { type: 'inbox', folder: 'teams' },
];

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

  test('whoever is told by default, when the event names a team of its own that nobody knows here', async () => {
    const draft = await compose({ event: { payload: { team_name: 'swarm-7' } } });

    expect(draft).toMatchObject({
      status: 'ready',
      deliveries: [{ delivery: 'email/ada' }, { delivery: 'email/bob' }],
      note: 'the event names team swarm-7, which is not in mesh.yaml',
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
    ]);
    expect(message.payloadLine).toBe('{"error":"boom","task_id":"7","task_subject":"Build"}');
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

  test('in a retry, tells what later actions came to that a run before it has done', async () => {
    const actions = [
      TELL,
      { type: 'spawn_fallback_agent' as const, id: 'repair' },
      { type: 'notify_team' as const, id: 'good-news', onlyIf: 'success' as const },
    ];
    const agent = { launcher: 'codex', outcome: 'success' } as const;
    const repaired = {
      action: 'repair',
      type: 'spawn_fallback_agent',
      status: 'executed',
      attempts: 1,
      agent,
    } as const;

    const { did, toCome, commands } = await messageOf({ actions, earlier: [repaired] });

    expect(did).toEqual([
      { action: 'repair', type: 'spawn_fallback_agent', state: 'executed', text: 'codex ended well' },
    ]);
    expect(toCome).toEqual([{ action: 'good-news', type: 'notify_team', onlyIf: 'only if repair succeeds' }]);
    expect(commands.find(({ ends }) => ends)?.note).toBe('ends good-news, and deliveries of this message');
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
            reason: 'claude: not found; goclaw: exit code 2',
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
            leaseUntilAt: 0,
          },
        ],
        pending: [
          {
            action: 'slow',
            type: 'spawn_fallback_agent',
            status: 'running',
            doing: { is: 'waiting-to-retry', reason: 'busy' },
          },
          { action: 'boss', type: 'notify_team', status: 'waiting' },
        ],
      },
    );

    expect(did).toEqual([
      {
        action: 'try',
        type: 'spawn_fallback_agent',
        state: 'failed',
        text: expect.stringMatching(/^claude: not found; goclaw: exit code 2\ngoclaw /) as string,
      },
      {
        action: 'warm_remote_capacity:1',
        type: 'warm_remote_capacity',
        state: 'executed',
        text: expect.stringMatching(/^warmed\n1 ready /) as string,
      },
      { action: 'slow', type: 'spawn_fallback_agent', state: 'running', text: 'waits to try again: busy' },
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

  test('tells in one line what the agent of each launcher before the last one said at the end', async () => {
    const evil = 'out of credit\r\ncodex: ended well\u202e\nAPI_KEY=sk-live-0123456789abcdefghijklmnop';
    const launches: Launch[] = [
      { launcher: 'claude', status: 'failed', reason: 'exit code 1', attempts: 2, lastWords: evil },
      { launcher: 'api', status: 'failed', reason: 'declined:\nno budget', attempts: 1 },
      { launcher: 'codex', status: 'launched', reason: 'no end was reported', attempts: 1 },
    ];
    const result: ActionResult = {
      action: 'try',
      type: 'spawn_fallback_agent',
      status: 'failed',
      reason: 'claude: exit code 1; api: declined:\nno budget; codex: no end was reported',
      attempts: 4,
      launches,
      agent: { launcher: 'codex', outcome: 'timeout', outputTail: 'at it' },
    };
    const actions = [{ type: 'spawn_fallback_agent' as const, id: 'try' }, TELL];
    const pending = {
      ...{ action: 'try', type: 'spawn_fallback_agent' as const, status: 'running' as const },
      launches: launches.slice(0, 1),
    };

    const { did } = await messageOf({ actions }, { soFar: [result] });
    const { did: soFar } = await messageOf({ actions }, { soFar: [], pending: [pending] });

    const claude =
      'claude: exit code 1 (after 2 attempts); said at the end: out of credit ⏎ codex: ended well\\u202e ⏎ API_KEY=[redacted]';
    expect(did[0]?.text?.split('\n')).toEqual([
      claude,
      'api: declined: ⏎ no budget',
      'codex: no end was reported',
      'codex said at the end:',
      '  at it',
    ]);
    expect(soFar[0]?.text?.split('\n')).toEqual([claude]);
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

    expect(quiet).toEqual([{ by: 'cooldown', label: 'Bash', untilAt: expect.any(Number) as number }]);
  });

  test('says on what an action to come depends', async () => {
    const actions = [
      { type: 'spawn_fallback_agent' as const, id: 'try' },
      TELL,
      { type: 'notify_team' as const, id: 'escalate', onlyIf: 'failed' as const },
      { type: 'warm_remote_capacity' as const, id: 'warm', onlyIf: 'success' as const },
    ];
    const message = await messageOf({ actions }, { soFar: [] });

    expect(whatNext(message)).toContain(
      'After this message: escalate (notify_team), only if tell fails; warm (warm_remote_capacity), only if tell or escalate succeeds.',
    );
  });

  test('says what an abort would end, and that there is nothing left but deliveries', async () => {
    const abortOf = async (...asked: Parameters<typeof messageOf>) =>
      (await messageOf(...asked)).commands.find(({ ends }) => ends)?.note;
    const slow = { action: 'slow', type: 'spawn_fallback_agent', status: 'running' } as const;
    const actions = [
      { type: 'spawn_fallback_agent' as const, id: 'slow' },
      TELL,
      { type: 'warm_remote_capacity' as const, id: 'warm' },
    ];

    expect(await abortOf({ actions }, { pending: [slow] })).toBe('ends slow, warm, and deliveries of this message');
    expect(await abortOf()).toBe('nothing else runs: this only ends deliveries of this message');
  });

  test('says until when capacity is there', async () => {
    const actions = [{ type: 'warm_remote_capacity' as const, id: 'warm', ensure: 2, forMs: 15_000 }, TELL];
    const warmed = { action: 'warm', type: 'warm_remote_capacity', status: 'executed', attempts: 1 } as const;
    const firedAt = Date.parse('2026-03-14T03:07:12Z');
    const said = async (leaseUntilAt: number) =>
      (await messageOf({ actions, firedAt }, { soFar: [{ ...warmed, leaseUntilAt }] })).did[0]?.text;

    const later = Date.parse('2099-03-14T03:37:12Z');
    expect(await said(later)).toBe(
      '2 ready until 2099-03-14 03:37:12 UTC at least, then the mesh gives back what it raised',
    );
    expect(await said(Date.parse('2026-03-14T03:09:00Z'))).toBe(
      '2 ready until 03:09:00 UTC at least, which is over; then the mesh gives back what it raised',
    );
  });

  test('says nothing of windows that are over', async () => {
    const { quiet } = await messageOf({ quietForMs: -1, repeatsForMs: { tell: -1 } });

    expect(quiet).toEqual([]);
  });

  describe('says until when an equal event is a repetition', () => {
    const TWO = [{ ...TELL }, { type: 'notify_team' as const, id: 'boss' }];
    const quietOf = async (given: Quietened) =>
      (await messageOf({ actions: TWO, ...given })).quiet.map((one) => wordsOfQuiet(one, 'a-rule'));

    test.each<[string, Quietened, string[]]>([
      [
        'without a cooldown',
        { repeatsForMs: { tell: 9e4, boss: 9e4 } },
        ['rule a-rule for an event equal to this one'],
      ],
      [
        'after a shorter cooldown',
        { quietForMs: 6e4, repeatsForMs: { tell: 9e4, boss: 9e4 } },
        ['rule a-rule for Bash', 'rule a-rule for an event equal to this one'],
      ],
      ['not within a longer cooldown', { quietForMs: 9e4, repeatsForMs: { tell: 6e4 } }, ['rule a-rule for Bash']],
      [
        'by what the rule compares',
        { repeatsForMs: { tell: 9e4, boss: 9e4 }, dedupBy: ['session', 'payload.task_id'] },
        ['rule a-rule for events of the same session, payload.task_id'],
      ],
      [
        'that other values of cooldownBy can have, also within a longer cooldown',
        { quietForMs: 9e4, repeatsForMs: { tell: 6e4, boss: 6e4 }, dedupBy: ['session'] },
        ['rule a-rule for Bash', 'rule a-rule for events of the same session'],
      ],
      [
        'for each action, where they differ',
        { repeatsForMs: { tell: 9e4, boss: 6e4 } },
        [
          'action tell of rule a-rule for an event equal to this one',
          'action boss of rule a-rule for an event equal to this one',
        ],
      ],
    ])('%s', async (_, given, quiet) => {
      expect(await quietOf(given)).toEqual(quiet);
    });

    test('and never that it fires again at once', async () => {
      const lines = whatNext(await messageOf({ repeatsForMs: { tell: 9e4 } }));

      expect(lines.join('\n')).toMatch(/^Rule a-rule for an event equal to this one is quiet until .* UTC \(.*\)\. /m);
      expect(lines.join('\n')).not.toContain('The rule is not quiet: when this happens again, it fires again.');
      expect(lines.join('\n')).toContain('Until then it does nothing about such events.');
      expect(lines.at(-1)).toBe('The rule itself is not quiet: any other event that matches it fires it at once.');
      expect(whatNext(await messageOf()).at(-1)).toBe(
        'The rule is not quiet: when this happens again, it fires again.',
      );
    });
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

  test('hides what the configuration calls secret, wherever it stands, through every channel', async () => {
    const config = aMeshConfig({ ...TEAM, redact: { keys: ['customer'], patterns: ['INT-[0-9]{4}'] } });
    const draft = await compose(
      {
        actions: [
          { type: 'warm_remote_capacity', id: 'warm' },
          { ...TELL, summary: 'INT-1111 ${ERROR}', messageTemplate: '${ERROR} ${PAYLOAD_JSON}' },
        ],
        event: {
          session: 'INT-2222',
          agent: 'INT-2223',
          source: 'INT-2224',
          payload: {
            ...{ error: 'INT-3333', customer: 'Jane', pin: 'hush', task_subject: 'INT-4444', task_id: 'INT-4445' },
            ...{ tool_name: 'INT-4446', team_name: 'INT-4447' },
          },
        },
        ...{ quietForMs: 60_000, label: 'payload.x=INT-6666', repeatsForMs: { tell: 90_000 } },
      },
      { soFar: [{ action: 'warm', type: 'warm_remote_capacity', status: 'failed', reason: 'INT-5555', attempts: 1 }] },
      { config, redactKeys: ['pin'] },
    );
    if (draft.status === 'skipped') throw new Error(draft.reason);
    const { message, note, threadKey } = draft;

    expect(JSON.stringify([message, note])).not.toMatch(/INT-\d|Jane|hush/);
    expect(message.error).toBe('[redacted]');
    expect(message.quiet[0]?.label).toBe('payload.x=[redacted]');
    expect(note).toBe('the event names team [redacted], which is not in mesh.yaml');
    for (const channel of EVERY_CHANNEL) {
      const sent = channelDelivery(channel).prepare({ message, threadKey }).preview;
      expect(JSON.stringify(sent), channel.type).not.toMatch(/INT-\d|Jane|hush/);
    }
  });

  test('says a trace as it is: its tabs are blanks', async () => {
    const message = await messageOf({ event: { payload: { error: 'panic\n\tat foo.go:12' } } });

    for (const channel of EVERY_CHANNEL) {
      const sent = channelDelivery(channel).prepare({ message }).preview;
      expect(sent.map(({ text }) => text).join('\n'), channel.type).toMatch(/panic.*at foo\.go:12/s);
      // The payload is JSON, which says a tab in its own way.
      expect(sent.map(({ text }) => text).join('\n'), channel.type).not.toContain('u0009');
    }
  });

  test('stays of a size that a history bears, however large the event is', async () => {
    const message = await messageOf({
      event: { payload: { error: 'x'.repeat(8_000), more: Array(20).fill('y'.repeat(8_000)) } },
    });

    expect(JSON.stringify(message).length).toBeLessThan(40_000);
  });
});
