import { describe, expect, test } from 'vitest';
import { makeComposeNotice } from '../../../../../activities/actions/notify-team/compose-notice.js';
import type { World } from '../../../../../activities/world.js';
import type { MeshConfig } from '../../../../../config/mesh-config.js';
import type { DigestNotice, Notice, ResolveNotice } from '../../../../../contract/notice.js';
import { aRule, aRuleset, type WrittenAction } from '../../../../support/builders.js';
import { aMeshConfig, TWO_WITH_MAIL } from '../../../../support/notifications.js';

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
  incident: {
    tenant: 'default',
    rule: 'a-rule',
    remediation: 'remediation/default/a-rule/event-1',
    root: 'event-1',
    session: 's-1',
    task: '7',
    team: 'ops',
    channel: 'email',
    key: 'the-key',
    resolveOn: ['task'],
    openedAt: AT - 600_000,
  },
  by: { event: 'TaskCompleted', eventId: 'event-9' },
};

interface Setup {
  config?: MeshConfig;
  actions?: WrittenAction[];
  rules?: string[];
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
  }: Setup = {},
) {
  const ruleset = aRuleset(rules.map((id) => aRule({ id, actions })));
  return makeComposeNotice({
    config: { get: async () => ({ available: true as const, value: config, hash: 'h', problems: [] }) },
    rulesets: {
      get: async () => ({ available: true as const, ruleset, hash: 'h', source: 'rules.yaml', problems: [] }),
    } as unknown as World['rulesets'],
    redactKeys: [],
    temporalUi: 'https://temporal.example.com',
    temporal: { address: '127.0.0.1:7233', namespace: 'default' },
  })(notice);
}

async function ready(...asked: Parameters<typeof compose>) {
  const draft = await compose(...asked);
  if (draft.status === 'skipped') throw new Error(draft.reason);
  return { ...draft, to: draft.deliveries.map(({ delivery }) => delivery) };
}

describe('a digest', () => {
  test('says how many, which sessions, first and last seen, and that the quiet has ended', async () => {
    const { message } = await ready(DIGEST);

    expect(message.subject).toBe('Hook chain a-rule: 12 more events while it was quiet');
    expect(Object.fromEntries(message.facts.map(({ label, value }) => [label, value]))).toEqual({
      Rule: 'a-rule',
      For: 'Bash',
      'Kept quiet': '12 more events',
      'First seen': '2026-01-02 03:03:05 UTC',
      'Last seen': '2026-01-02 03:04:04 UTC (59 s later)',
      Sessions: 's-1, s-2, and 3 more',
      'Quiet ended': '2026-01-02 03:04:05 UTC',
    });
    expect(message).toMatchObject({ kind: 'digest', did: [], quiet: [] });
  });

  test('of one event says so', async () => {
    const suppressed = { events: 1, firstAt: AT, lastAt: AT, sessions: [], moreSessions: 0 };

    const { message } = await ready({ ...DIGEST, suppressed });

    expect(message.subject).toBe('Hook chain a-rule: 1 more event while it was quiet');
    expect(message.facts.map(({ label }) => label)).not.toContain('Sessions');
    expect(message.facts.map(({ label }) => label)).not.toContain('Last seen');
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

  test.each<[string, Setup, string]>([
    ['the rule is gone', { rules: ['other'] }, 'rule a-rule tells nobody any more'],
    ['the rule tells nobody', { actions: [{ type: 'warm_remote_capacity' }] }, 'rule a-rule tells nobody any more'],
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

  test('of one session joins its thread; of several it is a thread of the rule', async () => {
    const one = { ...DIGEST.suppressed, sessions: ['s-1'], moreSessions: 0 };

    expect((await ready({ ...DIGEST, suppressed: one })).threadKey).toBe(
      JSON.stringify(['default', 'a-rule', 's-1', '']),
    );
    expect((await ready(DIGEST)).threadKey).toBe(JSON.stringify(['default', 'a-rule', 'digest Bash']));
  });
});

describe('good news', () => {
  test('goes where the incident was opened, with its key, and into its thread', async () => {
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
    expect(message.body).toContain('10 min after the incident was opened');
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
