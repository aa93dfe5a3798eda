import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { parseYaml } from '../contract/parse-yaml.js';
import { formatPath, type Problem, problemsOf } from '../contract/problem.js';
import { flag, listOf, milliseconds, strict, text } from '../contract/schema-words.js';
import { DAY_MS } from '../contract/ruleset.js';
import type { Parsed } from './read-through.js';
import { SECRET } from './secret.js';

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

export const MeshConfig = strict({
  agents: z.record(Name, Agent, { error: 'an object of agent type to launcher' }).default({}),
  teams: z.record(Name, Team, { error: 'an object of team name to team' }).default({}),
  notify: Notify.default({ fromName: 'Remediation Mesh', fromAddress: 'mesh@localhost.localdomain' }),
  bridge: Bridge.optional(),
  /** Where people reach the Temporal UI; links in mails start with it. */
  temporalUi: z.url({ protocol: /^https?$/, error: 'an http or https address' }).optional(),
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

/** Tokens stand in the bridge's fields, also inside its address, and in the variables of agents. */
function mayBeSecret(path: readonly PropertyKey[]): boolean {
  return path[0] === 'bridge' || path.includes('env');
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
  return problems;
}

function locate(problem: Problem, file: string, line: number | undefined): Problem {
  return { file, ...problem, ...(line !== undefined && { line }) };
}
