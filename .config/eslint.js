import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const ROOMS = [
  'contract',
  'rules',
  'config',
  'adapters',
  'activities',
  'workflows',
  'worker',
  'client',
  'test',
  'bench',
];

/** Files of one room, and what they may not import. `test/repo/import-arrows.test.ts` holds the same arrows. */
function room(files, ...patterns) {
  return { files, rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] } };
}

/** Refuses every room but those named. */
function only(name, allowed, protects) {
  const closed = ROOMS.filter((other) => other !== name && !allowed.includes(other));
  const what = allowed.length === 0 ? 'nothing else of ours' : `only ${allowed.join(', ')}`;
  return { regex: `^(#|(\\.\\./)+)(${closed.join('|')})(/|$)`, message: `${name} imports ${what}: ${protects}.` };
}

const PURE = {
  regex: '^node:(?!crypto$)',
  message: 'Pure code takes only hashing from Node, so that simulate, the watch and a test judge alike.',
};

const SANDBOX = [
  {
    regex: '^(node:|zod($|/)|yaml($|/)|undici|nodemailer|pino|commander|@temporalio/(activity|client|worker|testing))',
    allowTypeImports: true,
    message: 'This runs in the workflow sandbox, where what is not deterministic breaks replay. Import types only.',
  },
  {
    regex:
      '^#contract/(event|ruleset|hash|text/(schema-words|template-text|template|parse-yaml|problem)|actions/.*)\\.js$',
    allowTypeImports: true,
    message: 'This file would bring zod or yaml into the workflow bundle. Import its types only.',
  },
];

const ONLY_GUARDS = {
  regex: '^(#|(\\.\\./)+)rules/(?!guards/)',
  message:
    'Workflows take only rules/guards: matching is recorded by an activity, so that editing it breaks no replay.',
};

const GUARDS_ALONE = {
  regex: '^(\\.\\./|#(?!contract/))',
  message: 'Guards import only contract and each other: they are the part of rules that runs in the workflow sandbox.',
};

const THROUGH_ADAPTERS = {
  regex: '^(node:|undici|nodemailer|@temporalio/client)',
  allowTypeImports: true,
  message: 'Only adapters reach the network and Node, so that an action can be tested without them.',
};

const PURE_RULES = only('rules', ['contract'], 'judging is the same in simulate, in the watch and in tests');
const ACTIVITIES = only(
  'activities',
  ['contract', 'rules', 'config', 'adapters'],
  'an action must run and be tested without a worker',
);

const FORGOTTEN_TIMEOUT = {
  selector: "CallExpression[callee.property.name='any'] CallExpression[callee.property.name='timeout']",
  message:
    'Node 20 collects a timeout signal that only AbortSignal.any knows of, and it never fires. Use a controller and a timer.',
};

/** Why: see workflows/watch/activities.ts. */
const LOCAL_ACTIVITY = {
  selector: 'Identifier[name=/^(proxyLocalActivities|scheduleLocalActivity)$/]',
  message:
    'It is done before its task is committed: a worker that dies in between leaves what nobody knows of. Use an activity.',
};

/** In workflows it is the time of the task, and the same on replay. */
const OWN_CLOCK = {
  selector:
    "CallExpression[callee.object.name='Date'][callee.property.name='now'], NewExpression[callee.name='Date'][arguments.length=0]",
  message: 'Pure code takes the time as an argument.',
};

export default defineConfig(
  globalIgnores(['dist/', 'dist-*/', '.mesh/']),
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { project: 'test/tsconfig.json', tsconfigRootDir: new URL('..', import.meta.url).pathname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // A port is asynchronous by its type; an implementation or a fake need not wait for anything.
      '@typescript-eslint/require-await': 'off',
      // Ports are plain objects of functions without `this`, made to be taken apart.
      '@typescript-eslint/unbound-method': 'off',
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-console': ['error', { allow: ['warn', 'error'] }],
      'no-restricted-syntax': ['error', FORGOTTEN_TIMEOUT],
    },
  },
  room(['contract/**/*.ts'], only('contract', [], 'everyone shares its words, so it depends on no one'), PURE),
  room(['rules/**/*.ts'], PURE_RULES, PURE),
  room(['rules/guards/**/*.ts'], GUARDS_ALONE, ...SANDBOX),
  room(['config/**/*.ts'], only('config', ['contract', 'rules'], 'reading a file must not depend on who uses it')),
  room(['activities/**/*.ts'], ACTIVITIES, THROUGH_ADAPTERS),
  room(
    ['adapters/**/*.ts'],
    only('adapters', ['contract'], 'whoever needs the outside may use them, without an action'),
  ),
  room(
    ['workflows/**/*.ts'],
    only('workflows', ['contract', 'rules'], 'workflows and activities meet in contract only'),
    ONLY_GUARDS,
    ...SANDBOX,
  ),
  room(
    ['client/**/*.ts'],
    only('client', ['contract', 'rules', 'adapters'], 'a program that reports events carries no worker along'),
  ),
  {
    files: ['workflows/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', FORGOTTEN_TIMEOUT, LOCAL_ACTIVITY] },
  },
  {
    files: ['rules/**/*.ts', 'contract/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', FORGOTTEN_TIMEOUT, OWN_CLOCK] },
  },
  { files: ['test/**/*.ts', 'bench/**/*.ts'], rules: { 'no-console': 'off' } },
  {
    // Tests look into JSON that other programs wrote; what is not there fails the test.
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
);
