import { readFile } from 'node:fs/promises';
import type { CheckedConfig } from '#client/cli/programs.js';
import { maillessTeams } from '#config/sections/teams.js';
import { knownNames, type MeshConfig, parseMeshConfig } from '#config/mesh-config.js';
import { missingPrograms } from '#config/missing-programs.js';
import { parseYaml } from '#contract/text/parse-yaml.js';
import { formatPath, type Problem } from '#contract/text/problem.js';
import type { Environment } from '#contract/settings.js';
import { partsInUse, secretProblems } from './secret-problems.js';
import { resolveSecret, textsIn } from '#config/secret.js';
import { refusalOf } from '#adapters/http/address-refusal.js';
import { type AddressClass, classifyAddress } from '#adapters/http/classify-address.js';
import { canonicalHost, namedHosts } from '#adapters/http/named-hosts.js';
import { readAddress } from '#adapters/http/read-address.js';

/** For `mesh check`: what is wrong with a configuration, and what of it is not there on this machine. */
export async function checkConfig(file: string, env: Environment = process.env): Promise<CheckedConfig> {
  const text = await readFile(file, 'utf8').catch(unreadable);
  if (typeof text !== 'string') return refused([{ file, path: '', message: text.unreadable }]);
  const parsed = parseMeshConfig(text, file);
  if (!parsed.ok) return refused(parsed.problems);

  const { agents, teams } = parsed.value;
  const missing = await Promise.all([
    ...Object.entries(agents).map(([type, agent]) => missingPrograms(type, agent, env)),
    secretProblems(parsed.value, env),
    privateReceivers(parsed.value, env),
  ]);
  return {
    problems: [],
    warnings: withLines([...maillessTeams(teams), ...missing.flat()], text, file),
    agents: Object.keys(agents).length,
    teams: Object.keys(teams).length,
    known: knownNames(parsed.value),
  };
}

function unreadable(error: NodeJS.ErrnoException): { unreadable: string } {
  if (error.code === 'ENOENT') return { unreadable: 'file not found' };
  return { unreadable: error.code === 'EISDIR' ? 'is a folder, expected a file' : `cannot be read: ${error.message}` };
}

function refused(problems: Problem[]): CheckedConfig {
  return { problems, warnings: [], agents: 0, teams: 0 };
}

function withLines(problems: Problem[], text: string, file: string): Problem[] {
  const parsed = parseYaml(text, file);
  return problems.map((problem) => {
    const line = parsed.ok ? parsed.lineOf(problem.path) : undefined;
    return { file, ...(line !== undefined && { line }), ...problem };
  });
}

/** The fields that hold where something is sent. */
const ADDRESSES = ['url', 'webhook'];

const UNSENT = 'and nothing is sent there';

/** What is said of an address that may be a secret. */
const TROUBLES: Record<Exclude<AddressClass, 'public'>, Pick<Problem, 'message' | 'hint'>> = {
  private: { message: `leads to a private address, ${UNSENT}`, hint: 'name its host in outbound.privateHosts' },
  metadata: {
    message: `leads to an address that can hand out credentials of this machine, ${UNSENT}`,
    hint: 'name the address itself in outbound.privateHosts if it is meant',
  },
  never: { message: `leads to an address that no service can have, ${UNSENT}` },
};

/**
 * Addresses of a configuration that lead to this machine or network, and that it does not allow, or to no service at all:
 * whatever is sent there would be refused for as long as it is tried. What a name in an address stands for is looked up with
 * each request, and not here.
 */
export async function privateReceivers(config: MeshConfig, env: Environment): Promise<Problem[]> {
  const allowed = namedHosts(config.outbound.privateHosts);
  const addresses = textsIn(partsInUse(config), []).filter(({ path }) => ADDRESSES.includes(String(path.at(-1))));
  const checked = addresses.map(async ({ path, written }): Promise<Problem[]> => {
    // What cannot be had here is another warning's business.
    const url = await resolveSecret(written, config.folder, env).catch(() => '');
    const host = URL.canParse(url) ? canonicalHost(new URL(url).hostname) : undefined;
    const trouble = host === undefined ? undefined : troubleWith(host, allowed);
    return trouble ? [{ path: formatPath(path), ...trouble }] : [];
  });
  return (await Promise.all(checked)).flat();
}

function troubleWith(host: string, allowed: ReadonlySet<string>): Pick<Problem, 'message' | 'hint'> | undefined {
  if (readAddress(host) === undefined) {
    const isThisMachine = host === 'localhost' || host.endsWith('.localhost');
    return isThisMachine && !allowed.has(host) ? TROUBLES.private : undefined;
  }
  const found = classifyAddress(host);
  return found === 'public' || refusalOf(host, host, allowed) === undefined ? undefined : TROUBLES[found];
}
