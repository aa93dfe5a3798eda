import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { parseYaml } from '../contract/parse-yaml.js';
import { formatPath, type Problem, problemsOf } from '../contract/problem.js';
import { MeshEvent } from '../contract/event.js';
import { DEFAULT_TENANT } from '../contract/names.js';
import { ROLES, TOKEN_SHA256 } from '../contract/roles.js';
import { flag, listOf, milliseconds, oneOf, strict, text, wholeNumber } from '../contract/schema-words.js';
import { DAY_MS } from '../contract/ruleset.js';
import type { Parsed } from './read-through.js';
import { SECRET } from './secret.js';

const SHA256 = 'a SHA-256 hash as `mesh token new` prints it: 64 lower-case hexadecimal digits';
const ORIGIN = 'an origin such as https://console.example.com, without a path';
const HOST = 'a host name without a port';
const EVENTS_PER_SECOND = 5_000;

const Name = text('a name').max(100, { error: 'at most 100 characters' });

/** How an agent is started: an argument list, never a shell line. */
const Agent = strict({
  command: listOf(text(), 'a list: the program, then its arguments').min(1, { error: 'at least the program' }),
  /** Relative to the configuration file. */
  cwd: text().default('.'),
  timeoutMs: milliseconds(1, DAY_MS).optional(),
  /** Fixed variables for the agent. */
  env: z.record(z.string(), z.string({ error: 'a text' }), { error: 'an object' }).default({}),
  /** Variables of the worker the agent may see; beyond these it gets PATH, HOME and the like, and MESH_*. */
  inheritEnv: listOf(text(), 'a list of variable names').default([]),
});
export type Agent = z.output<typeof Agent>;

const Member = strict({ name: Name, email: z.email({ error: 'a mail address' }).optional() });

const Team = strict({ members: listOf(Member, 'a list of members').min(1, { error: 'at least one member' }) });
export type Team = z.output<typeof Team>;

const Notify = strict({
  defaultTeam: Name.optional(),
  /** Sender of the mails. */
  fromName: Name.default('Remediation Mesh'),
  fromAddress: z.email({ error: 'a mail address' }).default('mesh@localhost.localdomain'),
});

const Bridge = strict({
  url: z.url({ protocol: /^https?$/, error: 'an http or https address' }),
  /** Sent as a bearer token. `${env:NAME}` or `${file:path}`. */
  token: text()
    .refine((written) => !written.startsWith('${') || SECRET.test(written), {
      error: 'is not ${env:NAME} or ${file:path}',
    })
    .optional(),
  enabled: flag().default(true),
});
export type Bridge = z.output<typeof Bridge>;

/** A token of the gateway, which is kept here as a hash only. */
const Token = strict({
  name: Name,
  /** Two while a new token replaces an old one. */
  sha256: listOf(
    z.string({ error: SHA256 }).regex(TOKEN_SHA256, { error: SHA256 }),
    'a list of one or two SHA-256 hashes',
  )
    .min(1, { error: 'at least one hash' })
    .max(2, { error: 'at most two hashes: the new one and the one it replaces' }),
  tenant: MeshEvent.shape.tenant.default(DEFAULT_TENANT),
  roles: listOf(oneOf(ROLES), `a list of roles: ${ROLES.join(', ')}`).min(1, { error: 'at least one role' }),
});

const Gateway = strict({
  tokens: listOf(Token, 'a list of tokens').default([]),
  /** Web pages that may call, such as `https://console.example.com`. */
  allowedOrigins: listOf(text(ORIGIN).refine(isOrigin, { error: `is not ${ORIGIN}` }), 'a list of origins').default([]),
  /** Names by which the gateway is called. */
  allowedHosts: listOf(
    text(HOST).regex(/^([a-z\d.-]+|\[[\da-f:.]+\])$/i, { error: HOST }),
    'a list of host names',
  ).default([]),
  eventsPerSecond: wholeNumber(1, 100_000).default(EVENTS_PER_SECOND),
});
export type Gateway = z.output<typeof Gateway>;

/** What is secret in payloads, beyond what every mesh knows to be. */
const Redact = strict({
  keys: listOf(text('a payload key'), 'a list of payload keys').default([]),
  patterns: listOf(
    text('a regular expression').refine(isPattern, { error: 'is not a regular expression that finds something' }),
    'a list of regular expressions',
  ).default([]),
});

export const MeshConfig = strict({
  agents: z.record(Name, Agent, { error: 'an object of agent type to launcher' }).default({}),
  teams: z.record(Name, Team, { error: 'an object of team name to team' }).default({}),
  notify: Notify.default({ fromName: 'Remediation Mesh', fromAddress: 'mesh@localhost.localdomain' }),
  bridge: Bridge.optional(),
  /** Where people reach the Temporal UI; links in mails start with it. */
  temporalUi: z.url({ protocol: /^https?$/, error: 'an http or https address' }).optional(),
  gateway: Gateway.prefault({}),
  redact: Redact.prefault({}),
});
export type MeshConfig = z.output<typeof MeshConfig> & { folder: string };

/** Reads `config/mesh.yaml`; paths in it are relative to the file itself. */
export function parseMeshConfig(content: string, file: string): Parsed<MeshConfig> {
  const parsed = parseYaml(content, file);
  if (!parsed.ok) return parsed;
  const checked = MeshConfig.safeParse(parsed.value);
  const problems = checked.success ? crossProblems(checked.data) : problemsOf(checked.error, parsed.value, mayBeSecret);
  if (!checked.success || problems.length > 0) {
    return { ok: false, problems: problems.map((problem) => locate(problem, file, parsed.lineOf(problem.path))) };
  }
  const folder = dirname(resolve(file));
  const agents = Object.entries(checked.data.agents).map(([type, agent]) => [
    type,
    { ...agent, cwd: resolve(folder, agent.cwd) },
  ]);
  return { ok: true, value: { ...checked.data, agents: Object.fromEntries(agents) as MeshConfig['agents'], folder } };
}

/**
 * Tokens stand in the bridge's fields, also inside its address, and in the variables of agents. A token may stand by mistake
 * where its hash belongs, and who writes a pattern may write the very secret.
 */
function mayBeSecret(path: readonly PropertyKey[]): boolean {
  return path[0] === 'bridge' || path[0] === 'redact' || path.includes('env') || path.includes('sha256');
}

function isOrigin(written: string): boolean {
  try {
    return /^https?:/.test(written) && new URL(written).origin === written;
  } catch {
    return false;
  }
}

/** One that matches nothing matches everywhere, and would hide nothing. */
function isPattern(written: string): boolean {
  try {
    return !new RegExp(written, 'u').test('');
  } catch {
    return false;
  }
}

function crossProblems(config: z.output<typeof MeshConfig>): Problem[] {
  const problems: Problem[] = [];
  const { defaultTeam } = config.notify;
  if (defaultTeam !== undefined && !Object.hasOwn(config.teams, defaultTeam)) {
    const known = Object.keys(config.teams).join(', ') || 'none';
    problems.push({
      path: 'notify.defaultTeam',
      message: `no team is called "${defaultTeam}"`,
      hint: `teams here: ${known}`,
    });
  }
  for (const [name, team] of Object.entries(config.teams)) {
    const names = team.members.map((member) => member.name);
    names.forEach((member, index) => {
      if (names.indexOf(member) === index) return;
      problems.push({
        path: formatPath(['teams', name, 'members', index, 'name']),
        message: `duplicate member "${member}"`,
      });
    });
  }
  return [...problems, ...tokenProblems(config.gateway.tokens)];
}

/** A hash that stands twice would leave open whose token it is. */
function tokenProblems(tokens: Gateway['tokens']): Problem[] {
  const hashes = tokens.flatMap(({ sha256 }) => sha256);
  const names = tokens.map(({ name }) => name);
  return tokens.flatMap(({ name, sha256 }, index) => {
    const at = (...keys: (string | number)[]) => formatPath(['gateway', 'tokens', index, ...keys]);
    const isNameTaken = names.indexOf(name) !== index;
    const twice = sha256.findIndex((hash) => hashes.indexOf(hash) !== hashes.lastIndexOf(hash));
    return [
      ...(isNameTaken ? [{ path: at('name'), message: `duplicate token "${name}"` }] : []),
      ...(twice >= 0 ? [{ path: at('sha256', twice), message: 'this hash stands here more than once' }] : []),
    ];
  });
}

function locate(problem: Problem, file: string, line: number | undefined): Problem {
  return { file, ...problem, ...(line !== undefined && { line }) };
}
