import type { MeshConfig } from '#config/mesh-config.js';
import type { Bridge } from '#config/sections/bridge.js';
import { resolveSecret } from '#config/secret.js';
import { messageOf } from '#contract/text/words.js';
import { hashId } from '#rules/guards/seen.js';
import type { World } from '../../world.js';
import { makeHttpBridge } from './targets/http-bridge.js';
import { makeKubernetesScale } from './targets/kubernetes-scale.js';
import type { Line } from './targets/send.js';
import { type CapacityTarget, TargetFailure } from './target.js';

/** The target that the configuration describes now. Its secrets are read anew for each attempt. */
export async function openTarget(
  bridge: Bridge,
  { folder, outbound: policy }: MeshConfig,
  { env, outbound }: Pick<World, 'env' | 'outbound'>,
): Promise<CapacityTarget> {
  const secret = (name: 'token' | 'ca') => readSecret(name, bridge[name], folder, env);
  return targetOf(bridge, { outbound, policy, token: await secret('token'), ca: await secret('ca') });
}

/** The same, for a caller that has the secrets. */
export function targetOf({ kind, url }: Bridge, way: Omit<Line, 'base'>): CapacityTarget {
  const line = { ...way, base: url.replace(/\/+$/, '') };
  switch (kind) {
    case 'http':
      return makeHttpBridge(line);
    case 'kubernetes':
      return makeKubernetesScale(line);
  }
}

async function readSecret(
  name: string,
  written: string | undefined,
  folder: string,
  env: World['env'],
): Promise<string | undefined> {
  if (written === undefined) return undefined;
  try {
    return await resolveSecret(written, folder, env);
  } catch (cause) {
    // Not final: it may be there at the next attempt.
    throw new TargetFailure(`the ${name} of the bridge cannot be read: ${messageOf(cause)}`, { isFinal: false, cause });
  }
}

/** Tells one target from another without saying where it is: two clusters may have objects of the same name. */
export function hashTarget({ kind, url }: Bridge): string {
  return hashId(`${kind} ${url.replace(/\/+$/, '')}`);
}
