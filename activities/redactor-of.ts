import type { MeshConfig } from '#config/mesh-config.js';
import { createRedactor, type Redactor } from '#contract/text/redact/redact.js';

const redactors = new WeakMap<MeshConfig, Redactor>();

/** Hides what the configuration calls secret. Made once for each version of the file. */
export function redactorOf(config: MeshConfig, redactKeys: readonly string[]): Redactor {
  const known = redactors.get(config);
  if (known) return known;
  const redactor = createRedactor({
    keys: [...config.redact.keys, ...redactKeys],
    patterns: config.redact.patterns.map((pattern) => new RegExp(pattern, 'gu')),
  });
  redactors.set(config, redactor);
  return redactor;
}
