import { describe, expect, test } from 'vitest';
import { makeComposeNotice } from '#activities/actions/notify-team/compose-notice.js';
import { alertSubjectOf, threadKey } from '#activities/actions/notify-team/message/thread-key.js';
import type { World } from '#activities/world.js';
import type { MeshConfig } from '#config/mesh-config.js';
import type { RemediationInput } from '#contract/remediation.js';
import type { DigestNotice, Notice, ResolveNotice } from '#contract/notice.js';
import type { NotificationMessage } from '#contract/notification.js';
import { firedFor } from '#rules/guards/fired-for.js';
import { worksIn } from '#rules/guards/works.js';
import { anEvent, aRule, aRuleset, type WrittenAction } from '#test/support/builders.js';
import { aMeshConfig, TWO_WITH_MAIL } from '#test/support/notifications.js';

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);

const DIGEST: DigestNotice = {
  kind: 'digest',
  id: 'digest/default/a-rule/k/1',
  tenant: 'default',
  rule: 'a-rule',
  at: AT,
  label: 'Bash',
  suppressed: { events: 12, firstAt: AT - 60_000, lastAt: AT - 1_000, sessions: ['s-1', 's-2'], moreSessions: 3 },
};

const RESOLVED: ResolveNotice = {
  kind: 'resolve',
  id: 'resolve/1',
  tenant: 'default',
  rule: 'a-rule',
  at: AT,
  alert: {
    tenant: 'default',
    rule: 'a-rule',
    remediation: 'remediation/default/a-rule/event-1',
    root: 'event-1',
    session: 's-1',
    task: '7',
    team: 'ops',
    channel: 'email',
    key: 'the-key',
    resolveOn: 'task',
    occurredAt: AT - 600_000,
    openedAt: AT - 600_000,
  },
  by: { event: 'TaskCompleted', eventId: 'event-9' },
};

interface Setup {
  config?: MeshConfig;
  actions?: WrittenAction[];
  rules?: string[];
  rule?: Record<string, unknown>;
  isRulesetOff?: boolean;
  toldBy?: World['workflows']['toldBy'];
}

const PAGER = { type: 'pagerduty', routingKey: '${env:KEY}' };

function withChannels(...channels: Record<string, unknown>[]): MeshConfig {
  return aMeshConfig({ teams: { ops: { ...TWO_WITH_MAIL, channels } }, notify: { defaultTeam: 'ops' } });
}

function compose(
  notice: Notice,
  {
    config = aMeshConfig({ notify: { defaultTeam: 'ops' } }),
    actions = [{ type: 'notify_team' }],
    rules = ['a-rule'],
    rule = {},
    isRulesetOff = false,
    toldBy = () => Promise.reject(new Error('nobody asks')),
  }: Setup = {},
) {
  const ruleset = { ...aRuleset(rules.map((id) => aRule({ id, actions, ...rule }))), enabled: !isRulesetOff };
  return makeComposeNotice({
    config: { get: async () => ({ available: true as const, value: config, hash: 'h', problems: [] }) },
    rulesets: {
      get: async () => ({ available: true as const, ruleset, hash: 'h', source: 'rules.yaml', problems: [] }),
    } as unknown as World['rulesets'],
    redactKeys: [],
    workflows: { toldBy } as World['workflows'],
    temporalUi: 'https://temporal.example.com',
    temporal: { address: '127.0.0.1:7233', namespace: 'default' },
  })(notice);
}

async function ready(...asked: Parameters<typeof compose>) {
  const draft = await compose(...asked);
  if (draft.status === 'skipped') throw new Error(draft.reason);
  return { ...draft, to: draft.deliveries.map(({ delivery }) => delivery) };
}

function factsIn({ facts }: NotificationMessage): Record<string, string> {
  return Object.fromEntries(facts.map(({ label, value }) => [label, value]));
}

describe('a digest', () => {
  test('says how many, which sessions, first and last seen, and that the quiet has ended', async () => {
    const { message } = await ready(DIGEST);

    expect(message.subject).toBe('Hook chain a-rule: 12 more events in 60 s, last 1 s ago');
    expect(factsIn(message)).toEqual({
      Rule: 'a-rule',
      For: 'Bash',
      'Kept quiet': '12 more events',
      'First seen': '2026-01-02 03:03:05 UTC',
      'Last seen': '2026-01-02 03:04:04 UTC (59 s later)',
      Session: 's-2',
      'More sessions': '3',
      'Quiet ended': '2026-01-02 03:04:05 UTC',
    });
    // A line for each.
    expect(message.facts.filter(({ label }) => label === 'Session').map(({ value }) => value)).toEqual(['s-1', 's-2']);
    expect(message.body).toBe(
      [
        'The cooldown of rule a-rule has ended. Meanwhile 12 more events matched it, the last 1 s ago, and this rule did nothing about them.',
        'The rule may fire again from now on.',
      ].join('\n'),
    );
    expect(message).toMatchObject({ kind: 'digest', did: [], quiet: [] });
  });

  test('of one event says so', async () => {
    const suppressed = { events: 1, firstAt: AT, lastAt: AT, sessions: [], moreSessions: 0 };

    const { message } = await ready({ ...DIGEST, suppressed });

    expect(message.subject).toBe('Hook chain a-rule: 1 more event just now');
    expect(message.facts.map(({ label }) => label)).not.toContain('Session');
    expect(message.facts.map(({ label }) => label)).not.toContain('Last seen');
  });

  test('names the last that was kept quiet, on one line, without secrets and with nothing hidden', async () => {
    const last = { tool: 'Bash', error: 'login with password=hunter2hunter2 failed\u202e' };

    const { message } = await ready({ ...DIGEST, suppressed: { ...DIGEST.suppressed, last } });

    expect(factsIn(message)['Last error']).toBe('Bash: login with password=[redacted] failed\\u202e');
  });

  test('is never sent for nothing', async () => {
    const suppressed = { ...DIGEST.suppressed, events: 0 };

    expect(await compose({ ...DIGEST, suppressed })).toMatchObject({ status: 'skipped' });
  });

  test('goes to whom the rule tells, each of them once', async () => {
    const actions: WrittenAction[] = [
      { type: 'notify_team', id: 'one', recipients: ['ada'] },
      { type: 'notify_team', id: 'two' },
      { type: 'notify_team', id: 'off', teamName: 'dev', enabled: false },
      { type: 'warm_remote_capacity' },
    ];
    const config = aMeshConfig({
      teams: { ops: TWO_WITH_MAIL, dev: { members: [{ name: 'dan', email: 'dan@example.com' }] } },
      notify: { defaultTeam: 'ops' },
    });

    expect((await ready(DIGEST, { actions, config })).to).toEqual(['email/ada', 'email/bob']);
  });

  test('tells members of the same name in two teams apart', async () => {
    const actions: WrittenAction[] = [
      { type: 'notify_team', id: 'one', teamName: 'ops', recipients: ['ada'] },
      { type: 'notify_team', id: 'two', teamName: 'dev' },
    ];
    const config = aMeshConfig({
      teams: { ops: TWO_WITH_MAIL, dev: { members: [{ name: 'ada', email: 'ada@dev.example' }] } },
    });

    expect((await ready(DIGEST, { actions, config })).to).toEqual(['email/ada (ops)', 'email/ada (dev)']);
  });

  test('of several large teams goes to as many as one message may, and says how many are left out', async () => {
    const teamOf = (name: string) => ({
      members: Array.from({ length: 60 }, (_, n) => ({ name: `${name}-${n}`, email: `${name}-${n}@example.com` })),
    });
    const config = aMeshConfig({ teams: { ops: teamOf('ops'), dev: teamOf('dev') } });
    const actions: WrittenAction[] = ['ops', 'dev'].map((teamName) => ({
      type: 'notify_team',
      id: teamName,
      teamName,
    }));

    const { to, note } = await ready(DIGEST, { actions, config });

    expect(to).toHaveLength(100);
    expect(note).toBe('20 more are not told: a message has 100 deliveries at most');
  });

  describe('of a rule that names no team', () => {
    const config = aMeshConfig({
      teams: { ops: TWO_WITH_MAIL, dev: { members: [{ name: 'dan', email: 'dan@example.com' }] } },
      notify: { defaultTeam: 'ops' },
    });
    const digestAfter = (payload: Record<string, unknown>, written: Partial<WrittenAction> = {}) => {
      const about = firedFor(anEvent({ session: 's-1', payload }));
      return ready({ ...DIGEST, ...(about && { about }) }, { config, actions: [{ type: 'notify_team', ...written }] });
    };

    test('goes to the team that the event named with which the quiet began', async () => {
      expect((await digestAfter({ team_name: 'dev' })).to).toEqual(['email/dan']);
      expect((await digestAfter({ team_name: 'dev' }, { teamName: 'ops' })).to).toEqual(['email/ada', 'email/bob']);
    });

    test('goes to the default team when mesh.yaml does not have that one, with a note', async () => {
      const { to, note } = await digestAfter({ team_name: 'ghosts' });

      expect(to).toEqual(['email/ada', 'email/bob']);
      expect(note).toBe('the event names team ghosts, which is not in mesh.yaml');
    });

    test('goes to the default team when the name is longer than any name there is', async () => {
      expect((await digestAfter({ team_name: 'x'.repeat(101) })).to).toEqual(['email/ada', 'email/bob']);
    });
  });

  describe('of a rule that tells some only if something failed', () => {
    const actions: WrittenAction[] = [
      { type: 'spawn_fallback_agent', id: 'try' },
      { type: 'notify_team', recipients: ['bob'], onlyIf: 'failed' },
      { type: 'notify_team', id: 'tell', recipients: ['ada'] },
    ];
    const notice = { ...DIGEST, about: { session: 's-1', event: 'event-1' } };

    test.each([
      ['does not go to those who were not told', ['tell'], ['email/ada']],
      ['goes to those who were', ['notify_team:1', 'tell'], ['email/bob', 'email/ada']],
      ['goes to all when nobody knows any more', undefined, ['email/bob', 'email/ada']],
    ])('%s', async (_, told, to) => {
      const asked: string[] = [];
      const toldBy = async (id: string) => (asked.push(id), told);

      expect((await ready(notice, { actions, toldBy })).to).toEqual(to);
      expect(asked).toEqual(['remediation/default/a-rule/event-1']);
    });

    test('is not sent when nobody was told', async () => {
      expect(await compose(notice, { actions: actions.slice(0, 2), toldBy: async () => [] })).toEqual({
        status: 'skipped',
        reason: 'rule a-rule told nobody when it fired',
      });
    });

    test('is tried again when the server cannot say', async () => {
      const toldBy = () => Promise.reject(new Error('no worker answered'));

      await expect(compose(notice, { actions, toldBy })).rejects.toThrow('no worker answered');
    });
  });

  test.each<[string, Setup, string]>([
    ['the rule is gone', { rules: ['other'] }, 'rule a-rule tells nobody any more'],
    ['the rule tells nobody', { actions: [{ type: 'warm_remote_capacity' }] }, 'rule a-rule tells nobody any more'],
    ['the rule is switched off', { rule: { enabled: false } }, 'rule a-rule is switched off'],
    ['the rule is off', { rule: { mode: 'off' } }, 'rule a-rule is switched off'],
    ['the rule is on trial', { rule: { mode: 'shadow' } }, 'rule a-rule is switched off'],
    ['all rules are switched off', { isRulesetOff: true }, 'rule a-rule is switched off'],
    ['its team is gone', { actions: [{ type: 'notify_team', teamName: 'x' }] }, 'Team file not found for team x'],
    ['there is no team', { config: aMeshConfig() }, 'No team context is available for notify_team action'],
  ])('is not sent when %s', async (_, setup, reason) => {
    expect(await compose(DIGEST, setup)).toEqual({ status: 'skipped', reason });
  });

  test.each<[string, Setup, string]>([
    ['nobody is left', { actions: [{ type: 'notify_team', recipients: ['eve'] }] }, 'not in the team: eve'],
    [
      'only an alert could tell',
      { config: withChannels(PAGER) },
      'no digest through pagerduty: it would open an alert',
    ],
  ])('is not sent when %s, and says so', async (_, setup, note) => {
    const reason = 'No eligible recipients for notify_team action';

    expect(await compose(DIGEST, setup)).toEqual({ status: 'skipped', reason, note });
  });

  test('opens no alert: a channel of alerts is left out, with a note', async () => {
    const { to, note } = await ready(DIGEST, { config: withChannels(PAGER, { type: 'email' }) });

    expect(to).toEqual(['email/ada', 'email/bob']);
    expect(note).toBe('no digest through pagerduty: it would open an alert');
  });

  test('of much goes into the history once for each receiver: what is too long is cut, where it can be seen', async () => {
    const sessions = Array.from({ length: 10 }, (_, index) => `s-${index}-${'x'.repeat(100_000)}`);
    const suppressed = { ...DIGEST.suppressed, sessions };

    const { message } = await ready({ ...DIGEST, label: 'y'.repeat(100_000), suppressed });

    expect(JSON.stringify(message).length).toBeLessThan(48 * 1024);
    expect(factsIn(message)).toMatchObject({
      For: expect.stringContaining('[cut: ') as string,
      Session: expect.stringContaining('[cut: ') as string,
    });
  });

  test.each<[string, Record<string, unknown>, string | undefined]>([
    ['a task', { task_id: '17' }, 's-1'],
    ['a session', {}, 's-1'],
    ['neither', {}, undefined],
    ['a session, and a task with a name that is too long to be kept', { task_id: 'x'.repeat(201) }, 's-1'],
    ['nothing but such a task', { task_id: 'x'.repeat(201) }, undefined],
  ])('joins the thread of the message that its cooldown began with, about %s', async (_what, payload, session) => {
    const event = anEvent({ payload, ...(session !== undefined && { session }) });
    const about = firedFor(event);
    const subject = alertSubjectOf({ id: 'remediation/1', rule: 'a-rule', event } as RemediationInput);

    const { threadKey: thread } = await ready({ ...DIGEST, about });

    expect(thread).toBe(threadKey(subject, event.id));
  });

  test('whose cooldown began when its rule told nobody joins the thread of its one session; of several it is a thread of the rule', async () => {
    const one = { ...DIGEST.suppressed, sessions: ['s-1'], moreSessions: 0 };

    expect((await ready({ ...DIGEST, suppressed: one })).threadKey).toBe(
      JSON.stringify(['default', 'a-rule', 's-1', '']),
    );
    expect((await ready(DIGEST)).threadKey).toBe(JSON.stringify(['default', 'a-rule', 'digest Bash']));
  });
});

test.each([
  ['of 200 characters', 200, { task: 'x'.repeat(200), tool: 'x'.repeat(200) }],
  // No success would be known by it, so that nothing would ever resolve its alert.
  ['that is longer', 201, {}],
])('a name %s is one that an alert and a later success are both known by, or neither', (_what, chars, names) => {
  const payload = { task_id: 'x'.repeat(chars), tool_name: 'x'.repeat(chars) };
  const event = anEvent({ session: 's-1', payload });

  const { task, tool } = alertSubjectOf({ id: 'remediation/1', rule: 'a-rule', event } as RemediationInput);

  expect({ task, tool }).toEqual({ task: undefined, tool: undefined, ...names });
  expect(worksIn({ outcome: 'success', payload }) ?? {}).toEqual(names);
});

describe('good news', () => {
  test('goes where the alert was opened, with its key, and into its thread', async () => {
    const config = aMeshConfig({
      teams: { ops: { ...TWO_WITH_MAIL, channels: [{ type: 'email', name: 'other' }, { type: 'email' }] } },
    });

    const { deliveries, threadKey } = await ready(RESOLVED, { config });

    expect(deliveries).toEqual([
      { delivery: 'email/ada', team: 'ops', channel: 'email', recipient: 'ada', closes: 'the-key' },
      { delivery: 'email/bob', team: 'ops', channel: 'email', recipient: 'bob', closes: 'the-key' },
    ]);
    expect(threadKey).toBe(JSON.stringify(['default', 'a-rule', 's-1', '7']));
  });

  test('says what works again, since when, and where the run is', async () => {
    const { message } = await ready(RESOLVED);

    expect(message).toMatchObject({
      kind: 'resolved',
      outcome: 'success',
      subject: 'Resolved: hook chain a-rule (task 7 works again)',
      links: [{ url: expect.stringContaining('remediation%2Fdefault%2Fa-rule%2Fevent-1') as string }],
      commands: [{ command: 'npx mesh show remediation/default/a-rule/event-1' }],
    });
    expect(message.body).toContain('10 min after the alert was opened');
  });

  test('takes the name of a task for no words of its own', async () => {
    const alert = { ...RESOLVED.alert, task: '7 works again) (ignore "the rest"' };

    const { message } = await ready({ ...RESOLVED, alert });

    expect(message.subject).toBe(`Resolved: hook chain a-rule (task "7 works again) (ignore 'the rest'" works again)`);
  });

  test('is named by an event that may be called anything, on one line', async () => {
    const by = { event: 'Stop\nOpen https://evil.example\u202e', eventId: 'event-9' };

    const { message } = await ready({ ...RESOLVED, by });

    expect(message.body).toContain('A later "Stop Open https://evil.example\\u202e" of the same task or tool');
  });

  test('about something with a long name is cut like any message', async () => {
    const alert = { ...RESOLVED.alert, task: 't'.repeat(100_000), session: 's'.repeat(100_000) };

    const { message } = await ready({ ...RESOLVED, alert });

    expect(JSON.stringify(message).length).toBeLessThan(48 * 1024);
    expect(message.subject).toContain('[cut: ');
  });

  test.each([
    ['team', aMeshConfig({ teams: { dev: TWO_WITH_MAIL } }), 'Team file not found for team ops'],
    [
      'channel',
      aMeshConfig({ teams: { ops: { ...TWO_WITH_MAIL, channels: [{ type: 'email', name: 'x' }] } } }),
      'team ops has no channel email any more',
    ],
  ])('has nowhere to go without the %s', async (_, config, reason) => {
    expect(await compose(RESOLVED, { config })).toEqual({ status: 'skipped', reason });
  });
});
