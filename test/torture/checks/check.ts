import type { Evidence } from '../evidence/evidence.js';

export interface Found {
  /** Things looked at: a check that looked at nothing has shown nothing. */
  looked: number;
  /** Each with ids and times. */
  violations: string[];
  /** What could not be told, or is late without being wrong. */
  remarks?: string[];
}

/** One thing that must hold. A new one is a file, and a row in `all-checks.ts`. */
export interface Check {
  /** As a statement. */
  name: string;
  run(evidence: Evidence): Found;
}

export function at(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}
