import { AGENT_PRESETS, type AgentPreset } from '#config/agent-presets.js';
import { resolveSecret } from '#config/secret.js';
import type { CommandAgent, PresetAgent } from '#config/sections/agents.js';
import { messageOf } from '#contract/text/words.js';
import { factsOf } from '#contract/facts.js';
import type { AGENT_VARIABLES } from '#contract/settings.js';
import { attempt, failure } from '../../../fail.js';
import type { World } from '../../../world.js';
import type { Launch } from '../launch.js';

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

/** What every program needs to run at all; anything else of the worker's environment must be asked for. */
const BASIC_VARIABLES = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'LC_ALL',
  'TERM',
  'TMPDIR',
  'TZ',
  'SHELL',
  'SystemRoot',
  'PATHEXT',
];

const MAX_VALUE_CHARS = 8_192;

/** The variables of an agent's program, and which of their values must not stand in its output afterwards. */
export async function agentEnvironment(
  launch: Launch,
  agent: CommandAgent | PresetAgent,
  env: World['env'],
): Promise<{ env: Record<string, string>; secrets: string[] }> {
  const preset: AgentPreset | undefined = agent.kind === 'preset' ? AGENT_PRESETS[agent.preset] : undefined;
  const own = await resolveAll(launch, agent.env, env);
  const basic = BASIC_VARIABLES.map((name) => [name, env[name]] as const);
  const inherited = agent.inheritEnv.map((name) => [name, env[name]] as const);
  const mesh = Object.entries(meshVariables(launch, attempt())).map(([name, value]) => [name, short(value)] as const);
  const all = [...basic, ...Object.entries(preset?.env ?? {}), ...inherited, ...own, ...mesh];
  return { env: present(all), secrets: secretsIn([...inherited, ...own], agent, launch) };
}

async function resolveAll(
  launch: Launch,
  written: Record<string, string>,
  env: World['env'],
): Promise<[string, string][]> {
  try {
    const resolve = async ([name, value]: [string, string]): Promise<[string, string]> => [
      name,
      await resolveSecret(value, launch.config.folder, env),
    ];
    return await Promise.all(Object.entries(written).map(resolve));
  } catch (error) {
    const message = `Fallback agent launch failed: ${messageOf(error)}`;
    throw failure({ type: 'launch-failed', message, cause: error });
  }
}

/** What the mesh tells an agent. */
export function meshVariables(
  launch: Launch,
  attempt: number,
): Record<keyof typeof AGENT_VARIABLES, string | undefined> {
  const { plan, remediation } = launch.request;
  const { rule, event, id } = remediation;
  const { tool } = factsOf(event);
  return {
    MESH_TENANT: event.tenant,
    MESH_EVENT_ID: event.id,
    MESH_EVENT: event.event,
    MESH_OUTCOME: event.outcome,
    MESH_SESSION: event.session,
    MESH_TOOL: tool && launch.redactor.text(tool),
    MESH_RULE: rule,
    MESH_ACTION: plan.name,
    MESH_AGENT_TYPE: launch.agentType,
    MESH_MODEL: plan.model,
    MESH_DESCRIPTION: launch.description,
    MESH_REMEDIATION: id,
    MESH_EFFECT_KEY: launch.effectKey,
    MESH_ATTEMPT: String(attempt),
    MESH_DEPTH: String(launch.lineage.depth),
    MESH_ROOT_EVENT: launch.lineage.root,
    MESH_LINEAGE: launch.lineageToken,
    MESH_AGENT_SESSION: launch.session,
  };
}

/** Too long a value would keep the program from starting at all. */
function short(value: string | undefined): string | undefined {
  return value?.slice(0, MAX_VALUE_CHARS);
}

/** A zero byte would do the same, and the error would quote the value. */
function present(variables: (readonly [string, string | undefined])[]): Record<string, string> {
  return Object.fromEntries(
    variables.flatMap(([name, value]) => (value === undefined ? [] : [[name, value.replaceAll('\0', '')]])),
  );
}

/** Values that stand elsewhere than in the configuration, those whose name says so, and the proof of the agent's place. */
function secretsIn(
  variables: (readonly [string, string | undefined])[],
  agent: CommandAgent | PresetAgent,
  { redactor, lineageToken }: Launch,
): string[] {
  const isSecret = (name: string, value: string) =>
    agent.env[name]?.startsWith('${') === true ||
    (redactor.value({ [name]: value }) as Record<string, unknown>)[name] !== value;
  const secrets = variables.flatMap(([name, value]) => (value !== undefined && isSecret(name, value) ? [value] : []));
  return [...secrets, lineageToken];
}
