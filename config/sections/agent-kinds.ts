/** A launcher is of one kind, and what is written beside it must mean something to it. */
export function kindProblems(agent: Keys): { path: string[]; message: string; hint: string }[] {
  const [kind, ...others] = KINDS.filter((name) => agent[name] !== undefined);
  if (kind === undefined || others.length > 0) {
    const found = kind === undefined ? 'none of them' : [kind, ...others].join(' and ');
    const message = `expected exactly one of ${KINDS.join(', ')}, found ${found}`;
    return [{ path: [], message, hint: 'it says how the agent is started' }];
  }
  const used: readonly string[] = KEYS_OF_KIND[kind];
  return KEYS_OF_SOME.filter((key) => agent[key] !== undefined && !used.includes(key)).map((key) => ({
    path: [key],
    message: `means nothing beside ${kind}`,
    hint: 'remove it',
  }));
}

type Keys = Partial<Record<(typeof KINDS)[number] | (typeof KEYS_OF_SOME)[number], unknown>>;

/** Which other keys each kind of launcher has a use for. */
const KEYS_OF_KIND = {
  command: ['prompt', 'cwd', 'env', 'inheritEnv'],
  preset: ['args', 'cwd', 'env', 'inheritEnv'],
  http: [],
  temporal: [],
} as const;
const KINDS = Object.keys(KEYS_OF_KIND) as (keyof typeof KEYS_OF_KIND)[];
const KEYS_OF_SOME = ['prompt', 'args', 'cwd', 'env', 'inheritEnv'] as const;
