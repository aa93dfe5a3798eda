import type { MeshConfig } from '#config/mesh-config.js';
import { missingSecrets } from '#config/missing-secrets.js';
import type { Problem } from '#contract/text/problem.js';
import type { Environment } from '#contract/settings.js';
import { partsInUse } from './parts-in-use.js';
import { signingSecrets } from './signing-secrets.js';

/** Secrets of a configuration that cannot be had here, or cannot be used. */
export async function secretProblems(config: MeshConfig, env: Environment): Promise<Problem[]> {
  const missing = await missingSecrets(partsInUse(config), [], { folder: config.folder, env });
  return [...missing, ...(await signingSecrets(config, env))];
}
