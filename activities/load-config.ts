import type { MeshConfig } from '../config/mesh-config.js';
import { formatProblem } from '../contract/problem.js';
import { failure } from './fail.js';
import type { World } from './index.js';

/** The configuration as it is now, or as it last was without a mistake. */
export async function loadConfig(config: World['config']): Promise<MeshConfig> {
  const current = await config.get();
  if (current.available) return current.value;
  throw failure({ type: 'config-unavailable', message: current.problems.map(formatProblem).join('; ') });
}
