import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commandLine } from '#activities/actions/spawn-fallback-agent/launchers/command-line.js';
import type { Launch } from '#activities/actions/spawn-fallback-agent/launch.js';
import { PRESET_NAMES, type PresetName } from '#config/agent-presets.js';
import type { CommandAgent, PresetAgent } from '#config/sections/agents.js';
import { promptFor } from '#activities/actions/spawn-fallback-agent/prompt.js';
import { anEvent } from '#test/support/builders.js';
import { hostileText } from '#test/support/hostile-text.js';
import { ownSpawnRequest } from '../own-spawn-request.js';

const SESSION = '0c8f0c4e-3b55-4a4e-8d55-c9aa5be7ed86';

function launch(prompt: string, model?: string): Launch {
  return { prompt, session: SESSION, request: ownSpawnRequest({ plan: { model } }) } as Launch;
}

const process = { cwd: '/', env: {}, inheritEnv: [], maxConcurrent: 4, fallbacks: [] };
const preset = (name: PresetName, args: string[] = []): PresetAgent => ({
  kind: 'preset',
  preset: name,
  args,
  ...process,
});
const command = (prompt: 'stdin' | 'argument'): CommandAgent => ({
  kind: 'command',
  command: ['run', '-q'],
  prompt,
  ...process,
});

describe('the presets', () => {
  const LINES: Record<PresetName, string> = {
    'claude-code': `claude -p --model m --session-id ${SESSION} --more`,
    codex: 'codex exec --skip-git-repo-check -m m --more -',
    gemini: `gemini --skip-trust -m m --session-id ${SESSION} --more`,
    opencode: 'opencode run -m m --more',
    qwen: `qwen -m m --session-id ${SESSION} --more`,
    copilot: `copilot -s --model m --session-id ${SESSION} --more`,
    openclaw: 'openclaw agent exec --message-file - --model m --more',
    amp: 'amp -x --more',
    goose: 'goose run --no-session -q -i - --model m --more',
    cursor: 'cursor-agent -p --trust --model m --more',
    crush: 'crush run -q -m m --more',
  };

  test.each(PRESET_NAMES)('%s', (name) => {
    expect(commandLine(preset(name, ['--more']), launch('-x the prompt', 'm'))).toEqual({
      argv: LINES[name].split(' '),
      stdin: '-x the prompt',
    });
  });

  test('leave the model to the program where a rule names none', () => {
    expect(commandLine(preset('claude-code'), launch('x')).argv).toEqual(['claude', '-p', '--session-id', SESSION]);
  });
});

describe('a command', () => {
  test('takes the prompt on standard input', () => {
    expect(commandLine(command('stdin'), launch('-x', 'm'))).toEqual({ argv: ['run', '-q'], stdin: '-x' });
  });

  test.each([
    ['do it', 'do it'],
    ['-x --all', ' -x --all'],
    ['$(id) `id`', '$(id) `id`'],
    ['a\0b', 'ab'],
    ['', ''],
  ])('takes %j as one argument, which is no option', (prompt, argument) => {
    expect(commandLine(command('argument'), launch(prompt))).toEqual({ argv: ['run', '-q', argument], stdin: '' });
  });

  test('gets no longer an argument than a system takes, and no half character', () => {
    const [, , argument = ''] = commandLine(command('argument'), launch('é'.repeat(100_000))).argv;

    expect(argument).toBe('é'.repeat(60_000));
  });
});

test('no event puts an argument of its own on any line', () => {
  const hostile = fc.oneof(
    fc.constantFrom('--dangerous', '-x', '"; rm -rf /', '$(id)', '\n--flag', '\0--flag', '/run x'),
    hostileText,
  );
  const agents = [...PRESET_NAMES.map((name) => preset(name)), command('stdin'), command('argument')];
  fc.assert(
    fc.property(hostile, fc.constantFrom(undefined, '${ERROR}', 'Do ${ERROR} ${PAYLOAD_JSON}'), (text, template) => {
      const event = anEvent({ payload: { error: text, task_subject: text, [text]: text }, session: 's', source: 'x' });
      const prompt = promptFor(template, { rule: 'r', event });
      for (const agent of agents) {
        const { argv } = commandLine(agent, launch(prompt, 'm'));
        const { argv: quiet } = commandLine(agent, launch('quiet', 'm'));
        const isArgument = agent.kind === 'command' && agent.prompt === 'argument';
        expect(isArgument ? argv.slice(0, -1) : argv).toEqual(isArgument ? quiet.slice(0, -1) : quiet);
        if (isArgument) expect(argv.at(-1)).not.toMatch(/^-/);
      }
    }),
  );
});
