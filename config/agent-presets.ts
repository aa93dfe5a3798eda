/** How the program of a well-known agent is called for one prompt, which it reads from standard input, and no questions asked. */
export interface AgentPreset {
  program: string;
  args: readonly string[];
  /** Option before the name of the model. Absent: the program has no such option. */
  modelFlag?: string;
  /** Option before a session id that the mesh chooses, so that the watch knows the events of this agent. */
  sessionFlag?: string;
  /** Arguments that must stand behind all options. */
  last?: readonly string[];
  /** Unless the configuration says otherwise. */
  env?: Readonly<Record<string, string>>;
  /** The program itself was run like this: prompt, model and exit code. Otherwise it is what its documentation says. */
  isVerified: boolean;
}

/** No preset permits an agent more than its program does by default. `args` of the configuration may. */
export const AGENT_PRESETS = {
  'claude-code': {
    program: 'claude',
    args: ['-p'],
    modelFlag: '--model',
    sessionFlag: '--session-id',
    isVerified: true,
  },
  codex: {
    program: 'codex',
    args: ['exec', '--skip-git-repo-check'],
    modelFlag: '-m',
    last: ['-'],
    isVerified: true,
  },
  gemini: {
    program: 'gemini',
    args: ['--skip-trust'],
    modelFlag: '-m',
    sessionFlag: '--session-id',
    isVerified: true,
  },
  opencode: {
    program: 'opencode',
    args: ['run'],
    modelFlag: '-m',
    // By default the program runs every command that the model asks for.
    env: { OPENCODE_CONFIG_CONTENT: '{"permission":{"bash":"ask","edit":"ask"}}' },
    isVerified: true,
  },
  qwen: { program: 'qwen', args: [], modelFlag: '-m', sessionFlag: '--session-id', isVerified: true },
  copilot: { program: 'copilot', args: ['-s'], modelFlag: '--model', sessionFlag: '--session-id', isVerified: true },
  openclaw: {
    program: 'openclaw',
    args: ['agent', 'exec', '--message-file', '-'],
    modelFlag: '--model',
    isVerified: true,
  },
  amp: { program: 'amp', args: ['-x'], isVerified: false },
  goose: {
    program: 'goose',
    args: ['run', '--no-session', '-q', '-i', '-'],
    modelFlag: '--model',
    isVerified: false,
  },
  cursor: { program: 'cursor-agent', args: ['-p', '--trust'], modelFlag: '--model', isVerified: false },
  crush: { program: 'crush', args: ['run', '-q'], modelFlag: '-m', isVerified: false },
} as const satisfies Record<string, AgentPreset>;

export type PresetName = keyof typeof AGENT_PRESETS;

export const PRESET_NAMES = Object.keys(AGENT_PRESETS) as [PresetName, ...PresetName[]];
