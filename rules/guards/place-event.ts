import type { MeshEvent } from '../../contract/event.js';
import type { ProvenLineage } from '../../contract/matched.js';
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
 * A token decides; without one, an agent or session that is known; otherwise what the reporter says. None of them makes an
 * event less deep than it says itself. A token that is not believed puts it at the very end of the chain.
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
  if (lineage) return { ...lineage, depth: Math.max(event.depth, lineage.depth) };

  const agent = knownAgentOf(agents, event, now);
  if (!agent) return reported;
  const { depth, root, path, remediation } = agent;
  return { depth: Math.max(event.depth, depth), root, path, parent: remediation };
}
