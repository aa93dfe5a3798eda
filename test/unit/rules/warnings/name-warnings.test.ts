import { expect, test } from 'vitest';
import { formatProblem } from '#contract/text/problem.js';
import { checkRuleset } from '#rules/parse-ruleset.js';
import { type KnownNames, nameWarnings } from '#rules/warnings/index.js';
import { aRule, aRuleset, type WrittenAction } from '#test/support/builders.js';

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
  return nameWarnings(ruleset, { ...KNOWN, ...known }).map(formatProblem);
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

function agentWarningsOf(action: Partial<WrittenAction>, agents: string[], rule: Parameters<typeof aRule>[0] = {}) {
  const actions: WrittenAction[] = [{ type: 'notify_team' }, { type: 'spawn_fallback_agent', ...action }];
  return nameWarnings(aRuleset([aRule({ actions, ...rule })]), { ...KNOWN, agents }).map(formatProblem);
}

test('an agent that is there, or the default that is there, is no reason to warn', () => {
  expect(agentWarningsOf({ agentType: 'claude' }, ['claude'])).toEqual([]);
  expect(agentWarningsOf({}, ['default'])).toEqual([]);
});

test('what nobody runs is no reason either', () => {
  expect(agentWarningsOf({ agentType: 'cluade', enabled: false }, ['claude'])).toEqual([]);
  expect(agentWarningsOf({ agentType: 'cluade' }, ['claude'], { mode: 'off' })).toEqual([]);
});

test('an agent that is not there is named, with what is started instead', () => {
  expect(agentWarningsOf({ agentType: 'cluade' }, ['default', 'claude'])).toEqual([
    'rules[0].actions[1].agentType: mesh.yaml has no agent "cluade": "default" is started in its place (did you mean "claude"?)',
  ]);
  expect(agentWarningsOf({}, [])).toEqual([
    'rules[0].actions[1].agentType: mesh.yaml has no agent "default": nothing is started (agents there: none)',
  ]);
});

const RULESET = aRuleset([
  aRule({ actions: [{ type: 'notify_team' }, { type: 'warm_remote_capacity' }] }),
  aRule({ id: 'off', mode: 'off', actions: [{ type: 'warm_remote_capacity' }] }),
  aRule({ id: 'action-off', actions: [{ type: 'warm_remote_capacity', enabled: false }] }),
]);

test('a rule that wants capacity is told that there is no bridge, unless nobody runs it', () => {
  expect(nameWarnings(RULESET, { ...KNOWN, hasBridge: false }).map(formatProblem)).toEqual([
    'rules[0].actions[1]: mesh.yaml has no bridge: this action is always skipped (set bridge in mesh.yaml; until then it is a safe no-op)',
  ]);
});

test('whoever checks rules against a configuration hears of it', () => {
  const known = { ...KNOWN, hasBridge: false };

  expect(checkRuleset({ rules: RULESET.rules.slice(0, 1) }, known).warnings.map(({ path }) => path)).toEqual([
    'rules[0].actions[1]',
  ]);
});

test('with a bridge there is nothing to say', () => {
  expect(nameWarnings(RULESET, KNOWN)).toEqual([]);
});
