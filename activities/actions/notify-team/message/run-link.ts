import type { MeshConfig } from '#config/mesh-config.js';
import type { World } from '#activities/world.js';

export type LinkWorld = Pick<World, 'temporalUi' | 'temporal'>;

/** The page of a workflow in the Temporal UI, when it is known where people reach that. */
export function runLinks(
  workflowId: string,
  { temporalUi }: MeshConfig,
  world: LinkWorld,
  text = 'Open the run',
): { text: string; url: string }[] {
  const ui = temporalUi ?? world.temporalUi;
  if (ui === undefined) return [];
  const path = ['namespaces', world.temporal.namespace, 'workflows', workflowId].map(encodeURIComponent).join('/');
  return [{ text, url: `${ui.replace(/\/+$/, '')}/${path}` }];
}
