import { channelOf } from '#activities/actions/notify-team/channels/index.js';
import { CHANNEL_TYPES } from '#config/sections/channels.js';
import { type ChannelConfig, MEMBER_CHANNELS } from '#config/sections/teams.js';
import { describe, expect, test } from 'vitest';
import { chooseTeam } from '#activities/actions/notify-team/choose-team.js';
import { planDeliveries, type Wanted } from '#activities/actions/notify-team/plan-deliveries.js';
import { aMeshConfig } from '#test/support/notifications.js';

const CONFIG = aMeshConfig({
  teams: {
    ops: {
      members: [{ name: 'ada', email: 'ada@example.com' }, { name: 'bob', email: 'bob@example.com' }, { name: 'carl' }],
    },
    dev: { members: [{ name: 'dan', email: 'dan@example.com' }] },
    twice: {
      members: [{ name: 'ada', email: 'ada@example.com' }],
      channels: [{ type: 'email' }, { type: 'email', name: 'again' }],
    },
  },
  notify: { defaultTeam: 'dev' },
});

test.each([
  ['the action, before all others', { byAction: 'ops', byEvent: 'twice' }, 'ops'],
  ['the event, before the default', { byEvent: 'twice' }, 'twice'],
  ['the configuration', {}, 'dev'],
])('the team is that of %s', (_, named, team) => {
  expect(chooseTeam(CONFIG, named)).toMatchObject({ name: team });
});

test.each([
  ['is unknown', CONFIG, { byAction: 'ghosts', byEvent: 'ops' }, 'Team file not found for team ghosts'],
  ['is only inherited', CONFIG, { byAction: 'constructor' }, 'Team file not found for team constructor'],
  ['would act', CONFIG, { byAction: 'a\u202e\nb' }, 'Team file not found for team a\\u202e\\u000ab'],
  ['an event names, without a default', aMeshConfig(), { byEvent: 'ghosts' }, 'Team file not found for team ghosts'],
  ['is named nowhere', aMeshConfig(), {}, 'No team context is available for notify_team action'],
])('a team that %s is the reason for not sending', (_, config, named, reason) => {
  expect(chooseTeam(config, named)).toMatchObject({ reason });
});

test('of a team that is not there it is said where teams are', () => {
  const hint = `teams are those under "teams" in ${CONFIG.file}`;

  expect(chooseTeam(CONFIG, { byAction: 'ghosts' })).toHaveProperty('hint', hint);
  expect(chooseTeam(aMeshConfig(), {})).not.toHaveProperty('hint');
});

test.each(['ghosts', 'constructor'])('an event that names team %s, unknown here, silences no rule', (byEvent) => {
  expect(chooseTeam(CONFIG, { byEvent })).toMatchObject({
    name: 'dev',
    note: `the event names team ${byEvent}, which is not in mesh.yaml`,
  });
});

test('a team that is known has no note', () => {
  expect(chooseTeam(CONFIG, { byEvent: 'ops' })).not.toHaveProperty('note');
});

test('a name of any length makes a short reason, and a short note', () => {
  const name = '\u0000'.repeat(9_000);
  const [refused, chosen] = [chooseTeam(CONFIG, { byAction: name }), chooseTeam(CONFIG, { byEvent: name })];

  expect('reason' in refused && refused.reason.length).toBeLessThan(700);
  expect('note' in chosen && chosen.note?.length).toBeLessThan(700);
});

function planned(team: string, wanted: Wanted) {
  const chosen = chooseTeam(CONFIG, { byAction: team });
  if ('reason' in chosen) throw new Error(chosen.reason);
  const { deliveries, note } = planDeliveries(chosen, wanted);
  return { to: deliveries.map(({ delivery }) => delivery), note };
}

test.each<[string, Wanted, string[], string | undefined]>([
  ['nobody', {}, ['email/ada', 'email/bob'], 'without an email address: carl'],
  ['an empty list', { recipients: [] }, ['email/ada', 'email/bob'], 'without an email address: carl'],
  ['everyone', { recipients: ['bob', '*'] }, ['email/ada', 'email/bob'], 'without an email address: carl'],
  [
    'everyone, by one of them',
    { sender: 'ada' },
    ['email/bob'],
    'ada left out: reported it; without an email address: carl',
  ],
  ['everyone, by somebody else', { sender: 'claude' }, ['email/ada', 'email/bob'], 'without an email address: carl'],
  ['one', { recipients: ['bob'] }, ['email/bob'], undefined],
  ['one, by the same', { recipients: ['bob'], sender: 'bob' }, ['email/bob'], undefined],
  ['one twice', { recipients: ['bob', 'bob'] }, ['email/bob'], undefined],
  ['one who is not there', { recipients: ['eve', 'bob', 'Ada', 'eve'] }, ['email/bob'], 'not in the team: eve, Ada'],
  ['only such', { recipients: ['eve'] }, [], 'not in the team: eve'],
  ['one without an address', { recipients: ['carl'] }, [], 'without an email address: carl'],
])('a rule that names %s', (_, wanted, to, note) => {
  expect(planned('ops', wanted)).toEqual({ to, note });
});

test('an event cannot have nobody told: the one it calls its sender is told when nobody else can be', () => {
  expect(planned('dev', { sender: 'dan' })).toEqual({
    to: ['email/dan'],
    note: 'dan reported it, and is told all the same: nobody else can be told',
  });
});

test('every channel is used, in their order', () => {
  expect(planned('twice', {})).toEqual({ to: ['email/ada', 'again/ada'], note: undefined });
});

describe('a channel of the team as a whole', () => {
  const channels = [
    { type: 'pagerduty', routingKey: '${env:KEY}', resolveOn: ['task'] },
    { type: 'slack', webhook: '${env:HOOK}' },
    { type: 'email' },
  ];
  const config = aMeshConfig({ teams: { ops: { members: [{ name: 'ada', email: 'ada@example.com' }], channels } } });

  function planned(wanted: Wanted) {
    const chosen = chooseTeam(config, { byAction: 'ops' });
    if ('reason' in chosen) throw new Error(chosen.reason);
    return planDeliveries(chosen, wanted).deliveries;
  }

  test.each<[string, Wanted, string[]]>([
    ['nobody', {}, ['pagerduty/ops', 'slack/ops', 'email/ada']],
    ['somebody', { recipients: ['ada'] }, ['pagerduty/ops', 'slack/ops', 'email/ada']],
    ['only who is not there', { recipients: ['eve'] }, ['pagerduty/ops', 'slack/ops']],
    ['everyone, by the only member', { sender: 'ada' }, ['pagerduty/ops', 'slack/ops']],
  ])('gets one message, whoever is named: %s', (_, wanted, to) => {
    expect(planned(wanted).map(({ delivery }) => delivery)).toEqual(to);
  });

  test('is told of the alert only if it keeps one open', () => {
    const alert = { tenant: 'default', rule: 'r', remediation: 'x', root: 'e', occurredAt: 0 };

    expect(planned({ alert }).map((one) => one.alert)).toEqual([alert, undefined, undefined]);
  });
});

test('a delivery says what to look up, and holds no address', () => {
  const chosen = chooseTeam(CONFIG, {});
  if ('reason' in chosen) throw new Error(chosen.reason);

  expect(planDeliveries(chosen, {}).deliveries).toEqual([
    { delivery: 'email/dan', team: 'dev', channel: 'email', recipient: 'dan' },
  ]);
});

test('each member has a delivery of its own through the channels that the configuration counts so, and no others', () => {
  const ofMembers = CHANNEL_TYPES.filter((type) => channelOf({ type } as ChannelConfig).audience === 'member');

  expect(ofMembers).toEqual([...MEMBER_CHANNELS]);
});
