import { expect, test } from 'vitest';
import { formatProblem } from '#contract/text/problem.js';
import { maillessTeams, Teams } from '#config/sections/teams.js';

function warningsOf(team: object): string[] {
  return maillessTeams(Teams.parse({ ops: team })).map(formatProblem);
}

test('a team whose mails reach nobody is named, also where email is but the default', () => {
  const members = [{ name: 'alice' }, { name: 'bob' }];

  expect(warningsOf({ members })).toEqual([
    'teams.ops.members: no member has an email: the channel "email" reaches nobody (give each member an email, or the team other channels)',
  ]);
  expect(
    warningsOf({
      members,
      channels: [
        { type: 'slack', webhook: '${env:S}' },
        { type: 'email', name: 'mail' },
      ],
    }),
  ).toEqual([
    'teams.ops.members: no member has an email: the channel "mail" reaches nobody (give each member an email, or the team other channels)',
  ]);
});

test('one address is enough, and a team without mails needs none', () => {
  expect(warningsOf({ members: [{ name: 'alice' }, { name: 'bob', email: 'bob@example.com' }] })).toEqual([]);
  expect(warningsOf({ members: [{ name: 'alice' }], channels: [{ type: 'slack', webhook: '${env:S}' }] })).toEqual([]);
});
