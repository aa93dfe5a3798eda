import { resolve } from 'node:path';
import { z } from 'zod';
import { DAY_MS } from '#contract/actions/of-every-action.js';
import { launcherPart } from '#contract/ids.js';
import { formatPath, type Problem } from '#contract/text/problem.js';
import { listOf, milliseconds, oneOf, strict, text, wholeNumber } from '#contract/text/schema-words.js';
import { PRESET_NAMES, type PresetName } from '../agent-presets.js';
import { AgentEndpoint } from './agent-endpoint.js';
import { Name, plainOrSecret } from './words.js';
import { isWrittenSecret, secretArguments, SECRET_PROBLEM } from './written-secret.js';

const PROMPT_WAYS = ['stdin', 'argument'] as const;

const Variables = z.record(z.string(), plainOrSecret(), { error: 'an object' }).superRefine((variables, context) => {
  for (const name of Object.keys(variables).filter((key) => !/^[^=\0]+$/.test(key))) {
    context.addIssue({ code: 'custom', path: [name], message: 'is not the name of an environment variable' });
  }
  for (const [name, value] of Object.entries(variables)) {
    if (isWrittenSecret(value, name)) context.addIssue(secretAt(name));
  }
});

/** Anyone who sees the processes of a machine sees their arguments, so a secret cannot be written among them. */
const Arguments = (expected: string) =>
  listOf(text(), expected).superRefine((written, context) => {
    for (const index of secretArguments(written)) {
      context.addIssue(secretAt(index, 'give it to the program in env'));
    }
  });

function secretAt(place: string | number, hint = SECRET_PROBLEM.hint) {
  return { code: 'custom' as const, path: [place], message: SECRET_PROBLEM.message, params: { hint } };
}

const WrittenAgent = strict({
  /** An argument list, never a shell line. */
  command: Arguments('a list: the program, then its arguments').min(1, { error: 'at least the program' }).optional(),
  /** How the command takes its prompt: on standard input, or as one more argument. */
  prompt: oneOf(PROMPT_WAYS).optional(),
  preset: oneOf(PRESET_NAMES).optional(),
  /** More arguments for the program of a preset. */
  args: Arguments('a list of arguments').optional(),
  /** Relative to the configuration file. */
  cwd: text().optional(),
  /** Variables for the agent. A secret stands as `${env:NAME}` or `${file:path}`. */
  env: Variables.optional(),
  /** Variables of the worker the agent may see; beyond these it gets PATH, HOME and the like, and MESH_*. */
  inheritEnv: listOf(text(), 'a list of variable names').optional(),
  http: AgentEndpoint.optional(),
  temporal: strict({ workflowType: text('a workflow type'), taskQueue: text('a task queue') }).optional(),
  timeoutMs: milliseconds(1, DAY_MS).optional(),
  /** How many of them run at a time, over all workers. */
  maxConcurrent: wholeNumber(1, 1000).default(4),
  /** Agent types to try, in this order, when this one fails for good. */
  fallbacks: listOf(Name, 'a list of agent types').default([]),
}).superRefine((agent, context) => {
  for (const { path, message, hint } of kindProblems(agent)) {
    context.addIssue({ code: 'custom', path, message, params: { hint } });
  }
});
type WrittenAgent = z.output<typeof WrittenAgent>;

/** A launcher is of one kind, and what is written beside it must mean something to it. */
function kindProblems(agent: Keys): { path: string[]; message: string; hint: string }[] {
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

const MAX_ENCODED_NAME_CHARS = 100;

/** Part of effect keys, where it stands encoded. */
const AgentName = Name.refine((name) => launcherPart(name).length <= MAX_ENCODED_NAME_CHARS, {
  error: `at most ${MAX_ENCODED_NAME_CHARS} characters when encoded for an id`,
});

export const Agents = z.record(AgentName, WrittenAgent, { error: 'an object of agent type to launcher' }).default({});

/** How an agent is started. */
export type Agent = CommandAgent | PresetAgent | HttpAgent | TemporalAgent;

interface OfEveryAgent {
  timeoutMs?: number | undefined;
  maxConcurrent: number;
  fallbacks: string[];
}

interface Process extends OfEveryAgent {
  cwd: string;
  env: Record<string, string>;
  inheritEnv: string[];
}

export type CommandAgent = Process & { kind: 'command'; command: string[]; prompt: (typeof PROMPT_WAYS)[number] };
export type PresetAgent = Process & { kind: 'preset'; preset: PresetName; args: string[] };
export type HttpAgent = OfEveryAgent & { kind: 'http'; http: AgentEndpoint };
export type TemporalAgent = OfEveryAgent & { kind: 'temporal'; temporal: { workflowType: string; taskQueue: string } };

/** As they are used: of one kind each, with paths from the root. */
export function agentsOf(written: z.output<typeof Agents>, folder: string): Record<string, Agent> {
  return Object.fromEntries(Object.entries(written).map(([type, agent]) => [type, agentOf(agent, folder)]));
}

function agentOf(agent: WrittenAgent, folder: string): Agent {
  const { command, preset, http, temporal, timeoutMs, maxConcurrent, fallbacks } = agent;
  const ofEvery: OfEveryAgent = { ...(timeoutMs !== undefined && { timeoutMs }), maxConcurrent, fallbacks };
  if (http) return { kind: 'http', http, ...ofEvery };
  if (temporal) return { kind: 'temporal', temporal, ...ofEvery };
  const { cwd = '.', env = {}, inheritEnv = [], prompt = 'stdin', args = [] } = agent;
  const process: Process = { cwd: resolve(folder, cwd), env, inheritEnv, ...ofEvery };
  return preset === undefined
    ? { kind: 'command', command: command ?? [], prompt, ...process }
    : { kind: 'preset', preset, args, ...process };
}

/** Fallbacks must be there, and must not lead in a circle. */
export function fallbackProblems(agents: Record<string, { fallbacks: string[] }>): Problem[] {
  const problems: Problem[] = [];
  const done = new Set<string>();
  const visit = (type: string, way: string[]) => {
    if (done.has(type)) return;
    agents[type]?.fallbacks.forEach((fallback, index, all) => {
      const path = formatPath(['agents', type, 'fallbacks', index]);
      const circle = [...way, type];
      if (!Object.hasOwn(agents, fallback)) {
        const hint = `agent types here: ${Object.keys(agents).join(', ')}`;
        problems.push({ path, message: `no agent type is called "${fallback}"`, hint });
      } else if (all.indexOf(fallback) !== index) {
        problems.push({ path, message: `duplicate fallback "${fallback}"`, hint: 'remove one of them' });
      } else if (circle.includes(fallback)) {
        const round = [...circle.slice(circle.indexOf(fallback)), fallback].join(' -> ');
        problems.push({ path, message: `leads in a circle: ${round}`, hint: 'remove one of these fallbacks' });
      } else {
        visit(fallback, circle);
      }
    });
    done.add(type);
  };
  Object.keys(agents).forEach((type) => visit(type, []));
  return problems;
}
