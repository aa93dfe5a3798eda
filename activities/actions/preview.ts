import type { MeshConfig } from '#config/mesh-config.js';
import type { ActionPlan } from '#contract/actions/index.js';
import type { ActionRequest } from '#contract/activities.js';
import type { ActionPreview } from '#contract/preview.js';
import type { World } from '../world.js';

/**
 * Shows what an action would do, with the code that does it. It is given no port to the world: whatever it tried, it could
 * open no connection and start no process.
 */
export type Previewer<Plan extends ActionPlan> = (
  request: ActionRequest<Plan>,
  desk: PreviewDesk,
) => Promise<Previewed>;

export type Previewed = Pick<ActionPreview, 'status' | 'reason' | 'steps' | 'warnings'>;

/** What a preview may look at. */
export interface PreviewDesk extends Pick<World, 'env' | 'redactKeys' | 'temporalUi' | 'temporal'> {
  config: MeshConfig;
  /** Where mails become files. */
  mailFolder: string;
  nowMs: number;
}
