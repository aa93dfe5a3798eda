import { TENANT } from '#contract/event.js';
import { DEFAULT_TENANT } from '#contract/names.js';
import type { Environment } from '#contract/settings.js';
import { CliError } from './cli-error.js';

export { tenantOptions } from '#contract/text/shell-word.js';

export const TENANT_OPTION = ['--tenant <name>', 'tenant (default: MESH_TENANT, or default)'] as const;

/** The tenant a command is about. */
export function tenantFrom({ tenant }: { tenant?: string }, env: Environment): string {
  const [source, name] =
    tenant === undefined ? ['MESH_TENANT', env['MESH_TENANT'] || DEFAULT_TENANT] : ['--tenant', tenant];
  if (TENANT.test(name)) return name;
  throw new CliError(
    `${source}: expected a tenant name: 1 to 63 lower-case letters, digits or -, found ${JSON.stringify(name)}`,
  );
}
