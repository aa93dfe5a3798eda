import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import { parseYaml } from '#contract/text/parse-yaml.js';
import { type Problem, problemsOf } from '#contract/text/problem.js';
import { flag, listOf, strict, text, wholeNumber } from '#contract/text/schema-words.js';
import type { KnownNames } from '#rules/warnings/index.js';
import type { Parsed } from './read-through.js';
import { misplacedReferences } from './secret.js';
import { type Agent, Agents, agentsOf, fallbackProblems } from './sections/agents.js';
import { Bridge } from './sections/bridge.js';
import { Gateway, tokenProblems } from './sections/gateway.js';
import { Notify, notifyProblems } from './sections/notify.js';
import { teamProblems, Teams } from './sections/teams.js';
import { bareHttpUrl } from './sections/words.js';

const HOST = 'a host name or an address without a port';

/** Where requests of the mesh may go beyond the public internet. */
const Outbound = strict({
  /** Hosts that may have private addresses, as they stand in the addresses of this file. */
  privateHosts: listOf(
    text(HOST).regex(/^([a-z\d.-]+|\[[\da-f:.]+\]|[\da-f:]+)$/i, { error: HOST }),
    'a list of host names',
  ).default([]),
  /** How often a request may be sent on to another address. Each one is checked like the first. */
  maxRedirects: wholeNumber(0, 5).default(0),
});

/** What actions may do at all. The rules cannot allow more. */
export const Policy = strict({ allowRemoteSessions: flag().default(true) });

/** How long what was judged can be asked for, and how much room it may take. */
export const RecordLimits = strict({
  keepDays: wholeNumber(1, 3_650).default(7),
  maxMegabytes: wholeNumber(10, 1_000_000).default(1_000),
});

/** What is secret in payloads, beyond what every mesh knows to be. */
const Redact = strict({
  keys: listOf(text('a payload key'), 'a list of payload keys').default([]),
  patterns: listOf(
    text('a regular expression').refine(isPattern, { error: 'is not a regular expression that finds something' }),
    'a list of regular expressions',
  ).default([]),
});

/** One that matches nothing matches everywhere, and would hide nothing. */
function isPattern(written: string): boolean {
  try {
    return !new RegExp(written, 'u').test('');
  } catch {
    return false;
  }
}

export const MeshConfig = strict({
  agents: Agents,
  teams: Teams,
  notify: Notify.prefault({}),
  bridge: Bridge.optional(),
  /** Where people reach the Temporal UI; links in mails start with it. */
  temporalUi: bareHttpUrl().optional(),
  outbound: Outbound.prefault({}),
  policy: Policy.prefault({}),
  gateway: Gateway.prefault({}),
  record: RecordLimits.prefault({}),
  redact: Redact.prefault({}),
});
export type MeshConfig = Omit<z.output<typeof MeshConfig>, 'agents'> & {
  agents: Record<string, Agent>;
  /** The whole path of the file, and of the folder it is in. */
  file: string;
  folder: string;
};

/** Reads `config/mesh.yaml`; paths in it are relative to the file itself. */
export function parseMeshConfig(content: string, file: string): Parsed<MeshConfig> {
  const parsed = parseYaml(content, file);
  if (!parsed.ok) return parsed;
  const checked = MeshConfig.safeParse(parsed.value);
  const problems = checked.success ? crossProblems(checked.data) : problemsOf(checked.error, parsed.value, mayBeSecret);
  if (!checked.success || problems.length > 0) {
    return { ok: false, problems: problems.map((problem) => locate(problem, file, parsed.lineOf(problem.path))) };
  }
  const path = resolve(file);
  const folder = dirname(path);
  return { ok: true, value: { ...checked.data, agents: agentsOf(checked.data.agents, folder), file: path, folder } };
}

/** A problem may quote values of these sections. Any other section may hold secrets. */
const OPEN_SECTIONS: readonly unknown[] = ['agents', 'gateway', 'notify', 'outbound', 'policy', 'record', 'teams'];

/**
 * Tokens stand in the fields of channels and of endpoints, also inside their addresses, and in the variables of agents. A
 * token may stand by mistake where its hash belongs, and who writes a pattern for `redact` may write the very secret.
 */
function mayBeSecret(path: readonly PropertyKey[]): boolean {
  const isOfClosedSection = path.length > 0 && !OPEN_SECTIONS.includes(path[0]);
  const isOfChannel = path[0] === 'teams' && path.includes('channels') && path.at(-1) !== 'type';
  const isOfEndpoint = path[0] === 'agents' && path[2] === 'http';
  const isMailServer = path[0] === 'notify' && path[1] === 'smtp';
  return (
    isOfClosedSection || isOfChannel || isOfEndpoint || isMailServer || path.includes('env') || path.includes('sha256')
  );
}

function crossProblems(config: z.output<typeof MeshConfig>): Problem[] {
  return [
    ...misplacedReferences(config),
    ...fallbackProblems(config.agents),
    ...teamProblems(config.teams),
    ...notifyProblems(config.notify, config.teams),
    ...tokenProblems(config.gateway.tokens),
  ];
}

function locate(problem: Problem, file: string, line: number | undefined): Problem {
  return { file, ...problem, ...(line !== undefined && { line }) };
}

/** What rules may name, and what their actions need. */
export function knownNames({ agents, teams, bridge, notify: { defaultTeam } }: MeshConfig): KnownNames {
  const members = Object.entries(teams).map(
    ([name, team]) => [name, team.members.map((member) => member.name)] as const,
  );
  return {
    members: Object.fromEntries(members),
    defaultTeam,
    agents: Object.keys(agents),
    hasBridge: bridge !== undefined,
  };
}
