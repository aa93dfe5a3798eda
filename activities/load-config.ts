import type { MeshConfig } from '#config/mesh-config.js';
import { formatProblem } from '#contract/text/problem.js';
import { failure } from './fail.js';
import type { World } from './world.js';

/** The configuration as it is now, or as it last was without a mistake. */
export async function loadConfig(config: World['config']): Promise<MeshConfig> {
  const current = await readConfig(config);
  if ('problem' in current) throw failure({ type: 'config-unavailable', message: current.problem });
  return current.value;
}

/** The same for an action that would rather wait than fail while there is none. */
export async function readConfig(config: World['config']): Promise<{ value: MeshConfig } | { problem: string }> {
  const current = await config.get();
  return current.available ? current : { problem: current.problems.map(formatProblem).join('; ') };
}
