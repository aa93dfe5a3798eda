// What an event says, under the same names whatever its runtime calls it. A door reads the facts once, from a payload without
// secrets; nothing further in knows a spelling.

import type { MeshEvent } from './event.js';

/** Names that may stand in a payload. */
export type FactName = 'tool' | 'status' | 'error' | 'taskSubject' | 'taskDescription' | 'taskId' | 'team';

export interface Facts extends Partial<Record<FactName, string>> {
  /** By which the agent that reports may be known, beside `agent`. */
  agentIds?: string[];
  /** Set when the event is the end of an agent. */
  endsAgent?: AgentEnding;
  /** Keys of the payload that differ from one report of the same to the next, beyond those of the canonical spelling. */
  volatile?: string[];
}

export interface AgentEnding {
  outcome: 'success' | 'failed' | 'timeout';
  /** The end of what it said last. */
  outputTail?: string;
  /** Of an agent that works inside the session of another one, which goes on. */
  isSubagent?: boolean;
}

/** How a runtime spells what an event says. */
export interface Spelling {
  /** Keys on the top level of the payload; of each list, the first that holds a text counts. */
  keys: Readonly<Record<FactName, readonly string[]>>;
  agentIds: readonly string[];
  /** Where it puts what an agent said last. */
  output: readonly string[];
  volatile: readonly string[];
  /** Events that tell of the end of an agent, in any case and with any of `. _ : -` in them. */
  ends: readonly string[];
  /** Those that say by their name that it ended badly. */
  failedEnds: readonly string[];
  subagentEnds: readonly string[];
}

/** The spelling of an event that is in no other dialect. The lists and their order are the rule format's. */
export const CANONICAL: Spelling = {
  keys: {
    tool: ['tool_name', 'toolName'],
    status: ['task_status', 'taskStatus', 'status'],
    error: ['error', 'reason', 'message'],
    taskSubject: ['task_subject', 'taskSubject'],
    taskDescription: ['task_description', 'taskDescription'],
    taskId: ['task_id', 'taskId'],
    team: ['team_name', 'teamName'],
  },
  agentIds: ['agent_id', 'agentId'],
  output: ['last_assistant_message', 'output', 'result', 'summary'],
  volatile: ['tool_use_id', 'toolUseId', 'transcript_path', 'prompt_id', 'duration_ms', 'timestamp'],
  ends: ['TaskCompleted', 'SubagentStop', 'SessionEnd', 'StopFailure', 'RunFinished', 'RunCompleted', 'RunFailed'],
  failedEnds: ['StopFailure', 'RunFailed'],
  subagentEnds: ['SubagentStop'],
};

/** As much of an event as facts are read from. */
export type Telling = Partial<Pick<MeshEvent, 'event' | 'outcome' | 'payload' | 'facts'>>;

/** Those of the door; of an event that came past every door, as anyone with the Temporal CLI can send it, the canonical ones. */
export function factsOf(event: Telling, hide?: (text: string) => string): Facts {
  return areFacts(event.facts) ? event.facts : readFacts(event, CANONICAL, hide);
}

export const MAX_FACT_CHARS = 8 * 1024;
export const MAX_TAIL_CHARS = 2_000;

/** `hide` takes secrets out before texts are cut, where the payload may hold some: half a secret is not recognised any more. */
export function readFacts(event: Telling, spelling: Spelling, hide = (text: string) => text): Facts {
  const { payload = {} } = event;
  const textAt = (key: string) => {
    const value = Object.hasOwn(payload, key) ? payload[key] : undefined;
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const facts: Facts = {};
  for (const [name, keys] of Object.entries(spelling.keys) as [FactName, readonly string[]][]) {
    const text = keys.map(textAt).find((found) => found !== undefined);
    if (text !== undefined) facts[name] = text.slice(0, MAX_FACT_CHARS);
  }
  const agentIds = spelling.agentIds.flatMap((key) => textAt(key)?.slice(0, MAX_FACT_CHARS) ?? []);
  if (agentIds.length > 0) facts.agentIds = agentIds;
  const output = spelling.output.map((key) => textAt(key)?.trim()).find((text) => text !== undefined && text !== '');
  const endsAgent = endingOf(event, output && hide(output), spelling);
  if (endsAgent) facts.endsAgent = endsAgent;
  const volatile = spelling.volatile.filter((key) => !CANONICAL.volatile.includes(key) && Object.hasOwn(payload, key));
  if (volatile.length > 0) facts.volatile = volatile;
  return facts;
}

function endingOf({ event = '', outcome }: Telling, output: string | undefined, spelling: Spelling) {
  if (!isAmong(spelling.ends, event)) return undefined;
  const isBad = isAmong(spelling.failedEnds, event);
  const isSubagent = isAmong(spelling.subagentEnds, event);
  const ending: AgentEnding = {
    outcome: outcome === 'failed' || outcome === 'timeout' ? outcome : isBad ? 'failed' : 'success',
    ...(output !== undefined && { outputTail: output.slice(-MAX_TAIL_CHARS).toWellFormed() }),
    ...(isSubagent && { isSubagent }),
  };
  return ending;
}

function isAmong(names: readonly string[], event: string): boolean {
  const plain = plainName(event);
  return names.some((name) => plainName(name) === plain);
}

/** Runtimes spell the names of events in different ways. Case and `. _ : -` make no difference. */
export function plainName(event: string): string {
  return event.toLowerCase().replace(/[._:-]/g, '');
}

/** Nobody has checked an event yet that is looked at while the tenant is paused. */
function areFacts(facts: unknown): facts is Facts {
  if (typeof facts !== 'object' || facts === null) return false;
  const { agentIds = [], volatile = [], endsAgent, ...names } = facts as Facts;
  const isEnding = endsAgent === undefined || typeof endsAgent?.outcome === 'string';
  return isEnding && [Object.values(names), agentIds, volatile].every(areTexts);
}

function areTexts(list: unknown): boolean {
  return Array.isArray(list) && list.every((text) => typeof text === 'string');
}
