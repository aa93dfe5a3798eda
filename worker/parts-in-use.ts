import type { MeshConfig } from '#config/mesh-config.js';

/** A bridge that is switched off is asked for nothing, so what is wrong with it is nobody's business yet. */
export function partsInUse(config: MeshConfig): MeshConfig {
  const { bridge, ...others } = config;
  return bridge?.enabled === false ? others : config;
}
