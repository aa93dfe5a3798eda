import { MAX_DEPTH } from '#contract/event.js';
import type { RemediationInput } from '#contract/remediation.js';

/** What a token says about the event that carries it. */
export interface LineageClaims {
  /** The first event of the chain. */
  root: string;
  /** Chain depth of what the agent reports. */
  depth: number;
  /** The rules that fired on the way, the first of the chain first. */
  path: string[];
  tenant: string;
  /** The remediation that started the agent. */
  parent: string;
  expiresAt: number;
}

/** No agent runs longer. A token that was left lying around is worth nothing afterwards. */
export const LINEAGE_LIFE_MS = 48 * 3_600_000;

/** For the agents that a remediation starts. */
export function claimsFor({ id, rule, event, path = [] }: RemediationInput, now: number): LineageClaims {
  return {
    root: event.lineage?.root ?? event.id,
    depth: Math.min(event.depth + 1, MAX_DEPTH),
    path: [...path, rule],
    tenant: event.tenant,
    parent: id,
    expiresAt: now + LINEAGE_LIFE_MS,
  };
}
