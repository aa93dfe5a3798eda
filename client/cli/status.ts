import type { Command } from 'commander';
import type { Mesh } from '../mesh.js';
import type { RemediationFilter } from '../filters.js';
import { knownRules } from '../known-rules.js';
import { print, printJson } from './print.js';
import { LATELY_MS, renderStatus, type StatusFacts } from './render/status.js';
import { TENANT_OPTION, tenantFrom } from './tenant-option.js';
import { screenOf } from './terminal/screen.js';
import { withWatch } from './open-mesh.js';

interface StatusOptions {
  tenant?: string;
  json?: boolean;
}

export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .description('how a tenant stands: what fired, what was suppressed and why, what cools down and until when')
    .option(...TENANT_OPTION)
    .option('--json', 'print one JSON object')
    .action(showStatus);
}

async function showStatus(options: StatusOptions): Promise<void> {
  const tenant = tenantFrom(options, process.env);
  const now = Date.now();
  const facts = await withWatch(tenant, (mesh) => gather(mesh, tenant, now));
  if (!options.json) return print(renderStatus(facts, now, screenOf(process.stdout, process.env)));
  const { status, log, running, failed, leases, gaveUp } = facts;
  printJson({ ...status, knownRules: knownRules(status, log), remediations: { running, failed }, leases, gaveUp });
}

const LISTED = 20;

async function gather(mesh: Mesh, tenant: string, now: number): Promise<StatusFacts> {
  // The watch first: without one there is nothing to list, and the error says so.
  const [status, log] = await Promise.all([mesh.status(tenant), mesh.verdicts(undefined, tenant)]);
  const list = async (outcome: NonNullable<RemediationFilter['outcome']>) => {
    const { remediations, nextPage } = await mesh.remediations({ tenant, outcome, limit: LISTED });
    return { remediations, more: nextPage !== undefined };
  };
  const [running, failed, leases, others] = await Promise.all([
    list('running'),
    list('failed'),
    mesh.leases(tenant),
    mesh.dead({ tenant, kinds: ['notice', 'lease'], closedSinceAt: now - LATELY_MS, limit: LISTED }),
  ]);
  const lately = failed.remediations.filter(({ startedAt }) => now - startedAt < LATELY_MS);
  const failedLately = { remediations: lately, more: failed.more && lately.length === LISTED };
  const gaveUp = { dead: others.dead, more: others.nextPage !== undefined };
  return { status, log, running, failed: failedLately, leases, gaveUp };
}
