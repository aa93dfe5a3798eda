import type { MeshEvent } from '#contract/event.js';
import type { ProvenLineage } from '#contract/matched.js';
import { knownAgentOf, type KnownAgents, type Reported } from './known-agents.js';

/** Where in a chain of remediations an event lies. */
export interface Place {
  depth: number;
  /** The first event of the chain; the event itself when it begins one. */
  root: string;
  /** The remediation that led to it. */
  parent?: string;
  /** The rules that fired on the way. */
  path: string[];
  /** Why its lineage is not believed. */
  doubt?: string;
}

export type PlacedEvent = Reported & Pick<MeshEvent, 'id' | 'depth'> & Partial<Pick<MeshEvent, 'lineage'>>;

export interface PlaceBy {
  agents: KnownAgents;
  /** What its token says, when it carries one. */
  lineage: ProvenLineage | undefined;
  maxChainDepth: number;
  now: number;
}

/**
 * The deepest of what its token proves, what is known of its agent or session, and what the reporter says: a runtime may
 * hand its own old token to agents that were started deeper. A token that is not believed puts an event at the very end.
 */
export function placeEvent(event: PlacedEvent, { agents, lineage, maxChainDepth, now }: PlaceBy): Place {
  const reported: Place = {
    depth: event.depth,
    root: event.lineage?.root ?? event.id,
    ...(event.lineage?.parent !== undefined && { parent: event.lineage.parent }),
    path: [],
  };
  if (lineage && 'refused' in lineage) {
    return { ...reported, depth: Math.max(event.depth, maxChainDepth), doubt: lineage.refused };
  }
  const agent = knownAgentOf(agents, event, { now, root: lineage?.root });
  if (agent && agent.depth > (lineage?.depth ?? -1)) {
    const { depth, root, path, remediation } = agent;
    return { depth: Math.max(event.depth, depth), root, path, parent: remediation };
  }
  return lineage ? { ...lineage, depth: Math.max(event.depth, lineage.depth) } : reported;
}
