import type { Agent } from '#config/sections/agents.js';

/** A program runs on the machine of the worker, which sees its end. What a service or another workflow runs does not. */
export function isElsewhere(kind: Agent['kind']): boolean {
  return kind === 'http' || kind === 'temporal';
}
