import { createAccess } from '#client/gateway/access.js';
import type { GatewayPolicy, PolicySource } from '#client/gateway/gateway-deps.js';
import { remembered } from '#client/gateway/remembered.js';
import { type MeshConfig, parseMeshConfig } from '#config/mesh-config.js';
import type { Current, ReadThroughFile } from '#config/read-through.js';
import type { Environment, Settings } from '#contract/settings.js';
import { createRedactor } from '#contract/text/redact/redact.js';

/** A token that was taken out of the file is good for no longer than this. */
const LOOK_EVERY_MS = 1_000;

export interface PolicyOptions {
  settings: Settings;
  env: Environment;
  config: Pick<ReadThroughFile<MeshConfig>, 'get'>;
}

/** What `mesh.yaml` says about the gateway, always as the file says now, or as it last said without a mistake. */
export function createPolicySource({ settings, env, config }: PolicyOptions): PolicySource {
  let made: { hash: string; policy: GatewayPolicy } | undefined;
  const current = remembered(async () => policyOf(await config.get()), LOOK_EVERY_MS, Date.now);
  return { current };

  function policyOf(current: Current<MeshConfig>): GatewayPolicy {
    if (!current.available) return withoutFile(current);
    if (made?.hash !== current.hash) made = { hash: current.hash, policy: policyFrom(current.value, settings) };
    return made.policy;
  }

  /** Whoever names no file and has none wants none. A file that is named or broken may say who is not to come in. */
  function withoutFile({ isAbsent }: Extract<Current<MeshConfig>, { available: false }>): GatewayPolicy {
    const defaults = parseMeshConfig('{}', settings.config);
    if (!defaults.ok) throw new Error('an empty configuration is not valid');
    const policy = policyFrom(defaults.value, settings);
    return isAbsent && !env['MESH_CONFIG']
      ? policy
      : { ...policy, unusable: 'the configuration cannot be used: see the log of the gateway' };
  }
}

function policyFrom({ gateway, redact }: MeshConfig, settings: Settings): GatewayPolicy {
  return {
    access: createAccess(gateway.tokens),
    allowedOrigins: new Set(gateway.allowedOrigins),
    allowedHosts: new Set(gateway.allowedHosts.map((name) => name.toLowerCase().replace(/\.$/, ''))),
    eventsPerSecond: gateway.eventsPerSecond,
    redactor: createRedactor({
      keys: [...settings.redactKeys, ...redact.keys],
      patterns: redact.patterns.map((pattern) => new RegExp(pattern, 'gu')),
    }),
  };
}
