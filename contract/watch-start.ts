import { watchId } from './ids.js';
import { WORKFLOW_TYPES } from './names.js';
import type { WatchInput } from './watch.js';

/** How the watch of a tenant is started. Every sender of a first signal starts it in the same way. */
export function watchStart(tenant: string): {
  type: string;
  workflowId: string;
  input: WatchInput;
  summary: string;
  searchAttributes: { MeshTenant: string };
} {
  return {
    type: WORKFLOW_TYPES.watch,
    workflowId: watchId(tenant),
    input: { tenant },
    summary: `Watch of tenant ${tenant}: judges events, remembers guards, starts remediations`,
    searchAttributes: { MeshTenant: tenant },
  };
}
