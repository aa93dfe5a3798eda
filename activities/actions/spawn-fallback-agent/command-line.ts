import { AGENT_PRESETS, type AgentPreset } from '#config/agent-presets.js';
import type { CommandAgent, PresetAgent } from '#config/sections/agents.js';
import type { Launch } from './launch.js';

export interface CommandLine {
  argv: string[];
  stdin: string;
}

/** The program and its arguments. Nothing of an event is among them but the prompt, and that only where the command asks for it. */
export function commandLine(agent: CommandAgent | PresetAgent, launch: Launch): CommandLine {
  const { prompt } = launch;
  if (agent.kind === 'preset')
    return { argv: presetLine(AGENT_PRESETS[agent.preset], agent.args, launch), stdin: prompt };
  if (agent.prompt === 'stdin') return { argv: agent.command, stdin: prompt };
  return { argv: [...agent.command, asArgument(prompt)], stdin: '' };
}

function presetLine(
  { program, args, modelFlag, sessionFlag, last = [] }: AgentPreset,
  more: readonly string[],
  { request, session }: Launch,
): string[] {
  const { model } = request.plan;
  return [
    program,
    ...args,
    ...(modelFlag !== undefined && model !== undefined ? [modelFlag, model] : []),
    ...(sessionFlag !== undefined ? [sessionFlag, session] : []),
    ...more,
    ...last,
  ];
}

/** Linux takes 128 KiB for one argument. */
const MAX_ARGUMENT_BYTES = 120_000;

/** A program must not take it for an option: none looks behind a space for one. */
function asArgument(prompt: string): string {
  const text = prompt.replaceAll('\0', '');
  const argument = text.startsWith('-') ? ` ${text}` : text;
  const { read } = new TextEncoder().encodeInto(argument, new Uint8Array(MAX_ARGUMENT_BYTES));
  return argument.slice(0, read);
}
