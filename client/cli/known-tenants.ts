import { nearest } from '#contract/text/nearest.js';
import type { Mesh } from '../mesh.js';

const SHOWN = 10;

/** For somebody who has named a tenant that there is none of: which one may be meant, and which there are. */
export async function knownTenants(mesh: Pick<Mesh, 'tenants'>, asked: string): Promise<string> {
  // It only adds to an error, which is told in any case.
  const tenants = await mesh.tenants().catch((): string[] => []);
  if (tenants.length === 0) return '';
  const guess = nearest(asked, tenants);
  const listed =
    tenants.slice(0, SHOWN).join(', ') + (tenants.length > SHOWN ? ` and ${tenants.length - SHOWN} more` : '');
  return `${guess === undefined ? '' : `did you mean ${guess}? `}Tenants here: ${listed}`;
}
