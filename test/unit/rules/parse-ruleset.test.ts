import { describe, expect, test } from 'vitest';
import { effectKey, fallbackEffectKey, remediationId } from '#contract/ids.js';
import { stringify } from 'yaml';
import { formatProblem } from '#contract/text/problem.js';
import { checkRuleset, parseRuleset } from '#rules/parse-ruleset.js';
import { aRule } from '../../support/builders.js';

const DAY_MS = 86_400_000;

describe('a ruleset', () => {
  test('may be empty, and then has every default', () => {
    expect(parseRuleset('{}', 'f')).toEqual({
      ok: true,
      ruleset: {
        version: 1,
        enabled: true,
        maxChainDepth: 2,
        maxDescendants: 20,
        defaultCooldownMs: 30_000,
        defaultDedupWindowMs: 30_000,
        rules: [],
      },
      warnings: [],
    });
  });

  test('gives a rule and an action their defaults', () => {
    const checked = checkRuleset({ rules: [aRule()] });

    expect(checked).toMatchObject({
      ok: true,
      ruleset: { rules: [{ enabled: true, mode: 'enforce', actions: [{ enabled: true }] }] },
    });
  });

  test('may use every field there is', () => {
    const rules = [
      aRule({
        id: 'all of it 🔥',
        enabled: false,
        mode: 'shadow',
        trigger: { event: 'Stop', outcomes: ['success', 'failed', 'timeout', 'unknown'] },
        condition: {
          toolNames: ['a'],
          taskStatuses: ['b'],
          errorIncludes: ['c'],
          eventFieldEquals: { 'a.b': 1, c: 'x', d: false },
        },
        cooldownMs: 1,
        cooldownBy: ['session', 'payload.tool_name'],
        dedupWindowMs: 2,
        dedupBy: ['payload.a.b', 'tenant', 'agent', 'source', 'depth', 'outcome', 'event', 'id', 'lineage.root'],
        maxDepth: 1,
        actions: [
          {
            type: 'spawn_fallback_agent',
            id: 'spawn',
            enabled: true,
            dedupWindowMs: 3,
            timeoutMs: 4,
            retry: { maxAttempts: 5, initialIntervalMs: 6, maxIntervalMs: 7 },
            description: 'd ${ERROR}',
            promptTemplate: 'p',
            agentType: 'claude',
            model: 'any',
          },
          { type: 'notify_team', teamName: 't', recipients: ['*'], summary: 's', messageTemplate: 'm' },
          { type: 'warm_remote_capacity', createDefaultEnvironmentIfMissing: true },
        ],
      }),
    ];
    const file = {
      version: 1,
      enabled: true,
      maxChainDepth: 3,
      defaultCooldownMs: 0,
      defaultDedupWindowMs: 0,
      maxEventAgeMs: 1,
      rules,
    };

    expect(parseRuleset(JSON.stringify(file), 'f').ok).toBe(true);
    expect(parseRuleset(stringify({ hookChains: file }), 'f').ok).toBe(true);
  });
});

describe('every number has two limits, and is taken on both', () => {
  test.each<[string, (value: unknown) => unknown, number, number]>([
    ['maxChainDepth', (value) => ({ maxChainDepth: value }), 1, 10],
    ['defaultCooldownMs', (value) => ({ defaultCooldownMs: value }), 0, DAY_MS],
    ['defaultDedupWindowMs', (value) => ({ defaultDedupWindowMs: value }), 0, DAY_MS],
    ['maxEventAgeMs', (value) => ({ maxEventAgeMs: value }), 1, 365 * DAY_MS],
    ['rules[0].cooldownMs', (value) => withRule({ cooldownMs: value }), 0, DAY_MS],
    ['rules[0].dedupWindowMs', (value) => withRule({ dedupWindowMs: value }), 0, DAY_MS],
    ['rules[0].maxDepth', (value) => withRule({ maxDepth: value }), 0, 10],
    ['rules[0].actions[0].dedupWindowMs', (value) => withAction({ dedupWindowMs: value }), 0, DAY_MS],
    ['rules[0].actions[0].timeoutMs', (value) => withAction({ timeoutMs: value }), 1, DAY_MS],
    ['rules[0].actions[0].retry.maxAttempts', (value) => withAction({ retry: { maxAttempts: value } }), 1, 1000],
    [
      'rules[0].actions[0].retry.initialIntervalMs',
      (value) => withAction({ retry: { initialIntervalMs: value } }),
      1,
      DAY_MS,
    ],
    ['rules[0].actions[0].retry.maxIntervalMs', (value) => withAction({ retry: { maxIntervalMs: value } }), 1, DAY_MS],
  ])('%s', (path, file, min, max) => {
    for (const allowed of [min, max]) expect(problemsOf(file(allowed))).toEqual([]);
    for (const refused of [min - 1, max + 1, min + 0.5, String(min), true, null, [min], { min }]) {
      expect(problemsOf(file(refused)).map((problem) => problem.path)).toEqual([path]);
    }
  });
});

describe('what is refused', () => {
  test.each<[string, unknown, string]>([
    ['version 2', { version: 2 }, 'version: expected the number 1, found 2'],
    ['a text for a flag', { enabled: 'yes' }, 'enabled: expected true or false, found "yes"'],
    ['a quoted flag', { enabled: 'false' }, 'enabled: expected true or false, found "false" (remove the quotes)'],
    ['an object for the rules', { rules: {} }, 'rules: expected a list of rules, found an object'],
    ['a rule that is a text', { rules: ['x'] }, 'rules[0]: expected an object, found "x"'],
    ['an empty rule id', withRule({ id: '' }), 'rules[0].id: expected a non-empty text, found ""'],
    ['a number as rule id', withRule({ id: 7 }), 'rules[0].id: expected a non-empty text, found 7'],
    [
      'a rule without a trigger',
      { rules: [{ id: 'a', actions: [{ type: 'notify_team' }] }] },
      'rules[0].trigger: is missing: expected an object',
    ],
    [
      'a trigger without an event',
      withRule({ trigger: {} }),
      'rules[0].trigger.event: is missing: expected an event name',
    ],
    [
      'no outcomes',
      withRule({ trigger: { event: 'Stop', outcomes: [] } }),
      'rules[0].trigger.outcomes: expected at least one outcome, found an empty list',
    ],
    [
      'a wrong outcome',
      withRule({ trigger: { event: 'Stop', outcome: 'fail' } }),
      'rules[0].trigger.outcome: expected one of success, failed, timeout, unknown, found "fail" (did you mean "failed"?)',
    ],
    [
      'a wrong outcome in a list',
      withRule({ trigger: { event: 'Stop', outcomes: ['failed', 'timeOut'] } }),
      'rules[0].trigger.outcomes[1]: expected one of success, failed, timeout, unknown, found "timeOut" (did you mean "timeout"?)',
    ],
    [
      'outcome beside outcomes',
      withRule({ trigger: { event: 'Stop', outcome: 'failed', outcomes: ['timeout'] } }),
      'rules[0].trigger: has both "outcome" and "outcomes" (put every outcome into "outcomes")',
    ],
    [
      'a wrong mode',
      withRule({ mode: 'shadows' }),
      'rules[0].mode: expected one of enforce, shadow, off, found "shadows" (did you mean "shadow"?)',
    ],
    [
      'more actions than a rule may have',
      withRule({ actions: Array.from({ length: 100 }, () => ({ type: 'notify_team' })) }),
      'rules[0].actions: has 100 actions, the most is 20 (split the rule in two with the same trigger and condition)',
    ],
    ['no actions', withRule({ actions: [] }), 'rules[0].actions: expected at least one action, found an empty list'],
    [
      'an action that is a text',
      withRule({ actions: ['notify_team'] }),
      'rules[0].actions[0]: expected an action object, found "notify_team"',
    ],
    [
      'an action without a type',
      withRule({ actions: [{ id: 'a' }] }),
      'rules[0].actions[0].type: is missing: expected one of spawn_fallback_agent, notify_team, warm_remote_capacity',
    ],
    [
      'an unknown type of action',
      withRule({ actions: [{ type: 'notify-team' }] }),
      'rules[0].actions[0].type: expected one of spawn_fallback_agent, notify_team, warm_remote_capacity, found "notify-team" (did you mean "notify_team"?)',
    ],
    ['a field of another type of action', withAction({ model: 'x' }), 'rules[0].actions[0].model: unknown key "model"'],
    [
      'an empty template',
      withAction({ summary: '' }),
      'rules[0].actions[0].summary: expected a non-empty text, found ""',
    ],
    [
      'an empty tool name',
      withRule({ condition: { toolNames: [''] } }),
      'rules[0].condition.toolNames[0]: expected a non-empty text, found ""',
    ],
    [
      'a text for a list',
      withRule({ condition: { errorIncludes: 'x' } }),
      'rules[0].condition.errorIncludes: expected a list of texts, found "x"',
    ],
    [
      'null as a value to compare',
      withRule({ condition: { eventFieldEquals: { a: null } } }),
      'rules[0].condition.eventFieldEquals.a: expected a text, a number, true or false, found null (give a value, or leave it out)',
    ],
    [
      'a list as a value to compare',
      withRule({ condition: { eventFieldEquals: { 'a.b': [1] } } }),
      'rules[0].condition.eventFieldEquals["a.b"]: expected a text, a number, true or false, found a list',
    ],
    [
      'no paths to cool down by',
      withRule({ cooldownBy: [] }),
      'rules[0].cooldownBy: expected at least one path, found an empty list',
    ],
    [
      'a path that does not start at the event',
      withRule({ dedupBy: ['tool_name'] }),
      'rules[0].dedupBy[0]: does not start with a field of the event (paths start at the event: payload.<field>',
    ],
    [
      'an empty path',
      withRule({ cooldownBy: [''] }),
      'rules[0].cooldownBy[0]: expected a dot path into the event, found ""',
    ],
    ['a list as file', [], 'expected an object with `rules`, found an empty list'],
    ['a text as file', 'rules', 'expected an object with `rules`, found "rules"'],
  ])('%s', (_, file, problem) => {
    const [first, ...others] = problemsOf(file).map(formatProblem);

    expect(first?.slice(0, problem.length)).toBe(problem);
    expect(others).toEqual([]);
  });

  test('a key that would be lost on the way, and with it the condition', () => {
    const text = JSON.stringify(withRule({ condition: { eventFieldEquals: {} } })).replace(
      '"eventFieldEquals":{}',
      '"eventFieldEquals":{"__proto__":"x"}',
    );

    const parsed = parseRuleset(text, 'f');

    expect(parsed).toMatchObject({ ok: false, problems: [{ path: 'rules[0].condition.eventFieldEquals.__proto__' }] });
  });
});

describe('an unknown key', () => {
  test.each<[string, unknown, string, string]>([
    ['the file', { maxChainDeph: 2 }, 'maxChainDeph', 'did you mean "maxChainDepth"?'],
    ['a rule', withRule({ coolDownMs: 5 }), 'rules[0].coolDownMs', 'did you mean "cooldownMs"?'],
    [
      'a trigger',
      withRule({ trigger: { event: 'Stop', outcom: 'failed' } }),
      'rules[0].trigger.outcom',
      'did you mean "outcome"?',
    ],
    [
      'a condition',
      withRule({ condition: { toolName: ['x'] } }),
      'rules[0].condition.toolName',
      'did you mean "toolNames"?',
    ],
    ['an action', withAction({ sumary: 'x' }), 'rules[0].actions[0].sumary', 'did you mean "summary"?'],
    [
      'a retry policy',
      withAction({ retry: { maxAttempt: 3 } }),
      'rules[0].actions[0].retry.maxAttempt',
      'did you mean "maxAttempts"?',
    ],
    [
      'a rule, far from all that is known',
      withRule({ description: 'x' }),
      'rules[0].description',
      'known here: id, enabled, mode, trigger, condition, cooldownMs, cooldownBy, dedupWindowMs, dedupBy, maxDepth, actions',
    ],
  ])('of %s is refused with a hint', (_, file, path, hint) => {
    expect(problemsOf(file)).toEqual([
      expect.objectContaining({ path, hint, message: expect.stringMatching(/^unknown key "/) as string }),
    ]);
  });
});

describe('null is never taken for absent', () => {
  test.each([
    'version',
    'enabled',
    'maxChainDepth',
    'defaultCooldownMs',
    'defaultDedupWindowMs',
    'maxEventAgeMs',
    'rules',
  ])('in %s of the file', (key) => {
    expect(problemsOf({ [key]: null }).map(({ path }) => path)).toEqual([key]);
  });

  test.each([
    'id',
    'enabled',
    'mode',
    'trigger',
    'condition',
    'cooldownMs',
    'cooldownBy',
    'dedupWindowMs',
    'dedupBy',
    'maxDepth',
    'actions',
  ])('in %s of a rule', (key) => {
    expect(problemsOf(withRule({ [key]: null })).map(({ path }) => path)).toEqual([`rules[0].${key}`]);
  });

  test.each([
    'id',
    'enabled',
    'dedupWindowMs',
    'timeoutMs',
    'retry',
    'teamName',
    'recipients',
    'summary',
    'messageTemplate',
  ])('in %s of an action', (key) => {
    expect(problemsOf(withAction({ [key]: null })).map(({ path }) => path)).toEqual([`rules[0].actions[0].${key}`]);
  });

  test('nor in a key that YAML leaves without a value', () => {
    const parsed = parseRuleset('rules:\n', 'f');

    expect(parsed).toMatchObject({ ok: false, problems: [{ path: 'rules', line: 1 }] });
  });
});

describe('duplicates', () => {
  test('of a rule id are named at each repetition', () => {
    const problems = problemsOf({
      rules: [aRule({ id: 'a' }), aRule({ id: 'b' }), aRule({ id: 'a' }), aRule({ id: 'a' })],
    });

    expect(problems.map(formatProblem)).toEqual([
      'rules[2].id: duplicate rule id "a" (rules[0] has it already)',
      'rules[3].id: duplicate rule id "a" (rules[0] has it already)',
    ]);
  });

  test('of an action id are named, within a rule only', () => {
    const twice = [
      { type: 'notify_team', id: 'x' },
      { type: 'warm_remote_capacity', id: 'x' },
    ];

    const problems = problemsOf({
      rules: [
        { ...aRule({ id: 'a' }), actions: twice },
        aRule({ id: 'b', actions: [{ type: 'notify_team', id: 'x' }] }),
      ],
    });

    expect(problems.map(formatProblem)).toEqual([
      'rules[0].actions[1].id: duplicate action id "x" (rules[0].actions[0] has it already)',
    ]);
  });

  test('include an id that is what another action goes by', () => {
    const problems = problemsOf(
      withRule({ actions: [{ type: 'notify_team', id: 'notify_team:1' }, { type: 'notify_team' }] }),
    );

    expect(problems.map(({ path }) => path)).toEqual(['rules[0].actions[1].id']);
  });

  test('are not two actions of one type without ids', () => {
    expect(problemsOf(withRule({ actions: [{ type: 'notify_team' }, { type: 'notify_team' }] }))).toEqual([]);
  });
});

describe('all problems', () => {
  const text = [
    'version: 2',
    'maxChainDept: 3',
    'rules:',
    '  - id: one',
    '    trigger: { event: Stop, outcome: failed, outcomes: [failed] }',
    '    actions: []',
    '  - id: one',
    '    cooldownMs: 1m',
    '    actions:',
    '      - type: notify_team',
    '        id: x',
    '        summary: ${NOPE}',
    '      - type: notify_team',
    '        id: x',
  ].join('\n');

  test('are found at once, each with its path and line', () => {
    const parsed = parseRuleset(text, 'rules.yaml');

    const places = parsed.ok ? [] : parsed.problems.map(({ file, line, path }) => `${file}:${line} ${path}`);
    expect(places.sort()).toEqual(
      [
        'rules.yaml:12 rules[1].actions[0].summary',
        'rules.yaml:14 rules[1].actions[1].id',
        'rules.yaml:1 version',
        'rules.yaml:2 maxChainDept',
        'rules.yaml:5 rules[0].trigger',
        'rules.yaml:6 rules[0].actions',
        'rules.yaml:7 rules[1].id',
        'rules.yaml:7 rules[1].trigger',
        'rules.yaml:8 rules[1].cooldownMs',
      ].sort(),
    );
  });

  test('are found at the same lines when lines end as on Windows', () => {
    const unix = parseRuleset(text, 'f');
    const windows = parseRuleset(text.replaceAll('\n', '\r\n'), 'f');

    expect(windows).toEqual(unix);
  });
});

describe('the wrapped form', () => {
  test('is the same as the flat one', () => {
    const flat = { maxChainDepth: 5, rules: [aRule()] };

    expect(checkRuleset({ hookChains: flat })).toEqual(checkRuleset(flat));
  });

  test('has its key in every path', () => {
    const problems = problemsOf({ hookChains: { version: 2, rules: [aRule(), aRule()] } });

    expect(problems.map(({ path }) => path)).toEqual(['hookChains.version', 'hookChains.rules[1].id']);
  });

  test('has its key in the paths of warnings', () => {
    const checked = checkRuleset({ hookChains: { rules: [aRule({ trigger: { event: 'Stopp' } })] } });

    expect(checked.warnings.map(({ path }) => path)).toEqual(['hookChains.rules[0].trigger.event']);
  });

  test.each<[string, unknown]>([
    ['nothing', null],
    ['a list', []],
    ['a text', 'x'],
  ])('around %s is refused', (_, inner) => {
    expect(problemsOf({ hookChains: inner }).map(({ path }) => path)).toEqual(['hookChains']);
  });

  test('allows no key beside it, and says where each stands', () => {
    const parsed = parseRuleset('hookChains:\n  rules: []\nrules: []\nversion: 1\n', 'f');

    const problems = parsed.ok ? [] : parsed.problems;
    expect(problems.map(formatProblem)).toEqual([
      'f:3: rules: unknown key "rules" beside "hookChains" (put it inside hookChains)',
      'f:4: version: unknown key "version" beside "hookChains" (put it inside hookChains)',
    ]);
  });

  test('is not wrapped twice', () => {
    expect(problemsOf({ hookChains: { hookChains: {} } }).map(({ path }) => path)).toEqual(['hookChains.hookChains']);
  });
});

describe('warnings', () => {
  test('come with file and line, and do not make a file invalid', () => {
    const parsed = parseRuleset(stringify({ rules: [aRule({ trigger: { event: 'PostToolUseFailur' } })] }), 'f.yaml');

    expect(parsed).toMatchObject({
      ok: true,
      warnings: [
        { file: 'f.yaml', line: 4, path: 'rules[0].trigger.event', hint: 'did you mean "PostToolUseFailure"?' },
      ],
    });
  });
});

function withRule(change: object): unknown {
  return { rules: [{ ...aRule(), ...change }] };
}

function withAction(change: object): unknown {
  return withRule({ actions: [{ type: 'notify_team', ...change }] });
}

function problemsOf(file: unknown) {
  const parsed = checkRuleset(file);
  return parsed.ok ? [] : parsed.problems;
}

describe('rule ids', () => {
  const withId = (id: string) => parseRuleset(JSON.stringify({ rules: [{ ...RULE_OF_ANY_ID, id }] }), 'f.json');

  test.each(['x'.repeat(570), '🙂'.repeat(47), 'a / b', ' '])(
    'may be anything that fits into a workflow id: %s',
    (id) => {
      expect(withId(id).ok).toBe(true);
    },
  );

  test.each(['x'.repeat(601), '🙂'.repeat(51)])('may not be longer: %s', (id) => {
    expect(withId(id)).toMatchObject({
      ok: false,
      problems: [{ path: 'rules[0].id', message: expect.stringContaining('is too long') as string }],
    });
  });

  test.each<[string, string, string | undefined, string]>([
    ['an action whose id leaves its rule no room', 'r'.repeat(100), 'a'.repeat(501), 'rules[0].actions[0].id'],
    ['one whose id is longer when it is encoded', 'r'.repeat(100), '🙂'.repeat(42), 'rules[0].actions[0].id'],
    ['one with tildes, which are encoded there', 'r'.repeat(100), '~'.repeat(167), 'rules[0].actions[0].id'],
    ['a rule that leaves no room for an action without an id', 'r'.repeat(590), undefined, 'rules[0].id'],
  ])('%s is refused', (_what, rule, action, path) => {
    const written = { type: 'notify_team', ...(action !== undefined && { id: action }) };
    const parsed = parseRuleset(
      JSON.stringify({ rules: [{ ...RULE_OF_ANY_ID, id: rule, actions: [written] }] }),
      'f.json',
    );

    expect(parsed).toMatchObject({
      ok: false,
      problems: [
        {
          path,
          message: expect.stringContaining('at most 600 encoded characters fit for both') as string,
          hint: 'shorten one of the two',
        },
      ],
    });
  });

  test('of the longest that are taken, every effect key is one that the server takes', () => {
    const [rule, action] = ['r'.repeat(100), 'a'.repeat(500)];
    const written = { ...RULE_OF_ANY_ID, id: rule, actions: [{ type: 'notify_team', id: action }] };
    expect(parseRuleset(JSON.stringify({ rules: [written] }), 'f.json').ok).toBe(true);

    const remediation = remediationId('t'.repeat(63), rule, 'e'.repeat(200));
    const key = fallbackEffectKey(effectKey(remediation, action), 'l'.repeat(100));
    expect(`${key}~retry-12345678`.length).toBeLessThanOrEqual(1_000);
  });

  test('a misspelt wrapper is guessed', () => {
    const parsed = parseRuleset('hookchains: {}', 'f.yaml');

    expect(parsed).toMatchObject({ ok: false, problems: [{ hint: 'did you mean "hookChains"?' }] });
  });
});

const RULE_OF_ANY_ID = { trigger: { event: 'TaskCompleted' }, actions: [{ type: 'notify_team' }] };
