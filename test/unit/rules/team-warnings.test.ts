import { expect, test } from 'vitest';
import { formatProblem } from '#contract/text/problem.js';
import type { KnownNames } from '#rules/known-names.js';
import { teamWarnings } from '#rules/team-warnings.js';
import { aRule, aRuleset, type WrittenAction } from '../../support/builders.js';

const KNOWN: KnownNames = {
  members: { 'on-call': ['alice', 'bob'], backend: ['carl'] },
  defaultTeam: 'on-call',
  agents: [],
  hasBridge: true,
};

function warningsOf(action: Partial<WrittenAction>, known: Partial<KnownNames> = {}): string[] {
  const ruleset = aRuleset([
    aRule({ actions: [{ type: 'warm_remote_capacity' }, { type: 'notify_team', ...action }] }),
  ]);
  return teamWarnings(ruleset, { ...KNOWN, ...known }).map(formatProblem);
}

test.each<[string, Partial<WrittenAction>]>([
  ['nobody', {}],
  ['a team', { teamName: 'on-call' }],
  ['a team and its members', { teamName: 'on-call', recipients: ['alice', 'bob'] }],
  ['everybody', { recipients: ['*'] }],
  ['a member of whichever team the event names', { recipients: ['carl'] }],
  ['who is not there, in an action that is switched off', { teamName: 'oncall', enabled: false }],
])('a rule that names %s is no reason to warn', (_, action) => {
  expect(warningsOf(action)).toEqual([]);
});

test.each<[string, Partial<WrittenAction>, string[]]>([
  [
    'a team with a slip of the finger',
    { teamName: 'oncall' },
    ['rules[0].actions[1].teamName: mesh.yaml has no team "oncall": this tells nobody (did you mean "on-call"?)'],
  ],
  [
    'a team that nothing resembles',
    { teamName: 'constructor', recipients: ['alice'] },
    [
      'rules[0].actions[1].teamName: mesh.yaml has no team "constructor": this tells nobody (teams there: on-call, backend)',
    ],
  ],
  [
    'a member of another team, and somebody twice',
    { teamName: 'backend', recipients: ['carl', 'alice', 'zoe', 'zoe'] },
    [
      'rules[0].actions[1].recipients: team "backend" of mesh.yaml has no member "alice" (members: carl)',
      'rules[0].actions[1].recipients: team "backend" of mesh.yaml has no member "zoe" (members: carl)',
    ],
  ],
  [
    'somebody of no team',
    { recipients: ['alicia'] },
    ['rules[0].actions[1].recipients: no team of mesh.yaml has a member "alicia" (did you mean "alice"?)'],
  ],
])('a rule that names %s', (_, action, warnings) => {
  expect(warningsOf(action)).toEqual(warnings);
});

test('a rule that names no team, where there is no default, depends on its events', () => {
  expect(warningsOf({}, { defaultTeam: undefined })).toEqual([
    'rules[0].actions[1]: names no team, and mesh.yaml has no notify.defaultTeam: only events that name a team tell anybody (set notify.defaultTeam in mesh.yaml, or teamName here)',
  ]);
});
