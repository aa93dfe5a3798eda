import type { MeshConfig } from '#config/mesh-config.js';
import { resolveSecret } from '#config/secret.js';
import { textsIn } from '#config/secret.js';
import { formatPath, type Problem } from '#contract/text/problem.js';
import type { Environment } from '#contract/settings.js';
import { partsInUse } from './secret-problems.js';
import { refusalOf } from '#adapters/http/address-refusal.js';
import { type AddressClass, classifyAddress } from '#adapters/http/classify-address.js';
import { canonicalHost, namedHosts } from '#adapters/http/named-hosts.js';
import { readAddress } from '#adapters/http/read-address.js';

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
