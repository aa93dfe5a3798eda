import type { Command } from 'commander';
import { visible } from '#contract/text/plain-text.js';
import type { Pause } from '#contract/watch.js';
import { MeshError } from '../errors.js';
import type { Mesh } from '../mesh.js';
import { CliError } from './cli-error.js';
import { knownTenants } from './known-tenants.js';
import { print, printJson } from './print.js';
import { TENANT_OPTION, tenantFrom, tenantOptions } from './tenant-option.js';
import { meshCommand } from './terminal/shell-word.js';
import { moment } from './terminal/times.js';
import { withWorker } from './open-mesh.js';

interface PauseOptions {
  reason?: string;
  new?: boolean;
  tenant?: string;
  json?: boolean;
}

export function addPauseCommand(program: Command): void {
  program
    .command('pause')
    .description('kill switch: skip every event of a tenant until it is resumed')
    .option('--reason <text>', 'shown wherever people ask why nothing happens')
    .option('--new', 'also a tenant without a watch')
    .option(...TENANT_OPTION)
    .option('--json', 'print {"tenant": "…", "paused": true, "changed": true}')
    .action(pause);
}

async function pause(options: PauseOptions): Promise<void> {
  const tenant = tenantFrom(options, process.env);
  const { reason } = options;
  const { before, changed } = await withWorker(async (mesh) => {
    const known = await pauseOf(mesh, tenant);
    // A kill switch that stops nothing is worse than none: mostly the name is not quite right.
    if (!known.hasWatch && !options.new) await refuseUnknown(mesh, tenant);
    // A second pause would only move its beginning, unless it says something else.
    const isNews = !known.paused || (reason !== undefined && reason !== known.paused.reason);
    if (isNews) await mesh.pause(tenant, reason);
    return { before: known, changed: isNews };
  });
  if (options.json) return printJson({ tenant, paused: true, changed });
  print(
    [
      pausedText(tenant, before.paused, changed),
      ...(before.hasWatch ? [] : ['It has no watch yet: it is paused before its first event.']),
      ...(before.isAnswered ? [] : ['No worker answers: it takes effect before anything is judged once one runs.']),
      'Remediations that run already go on: see `npx mesh runs --running`.',
      `To go on: ${meshCommand('resume', [], tenantOptions(tenant))}`,
    ].join('\n'),
  );
}

async function refuseUnknown(mesh: Mesh, tenant: string): Promise<never> {
  const others = await knownTenants(mesh, tenant);
  throw new CliError(
    [
      `Nothing is paused: tenant ${tenant} has no watch here. No event of it was ever reported, or it was forgotten since.`,
      ...(others === '' ? [] : [others]),
      `To pause it all the same: ${meshCommand('pause', [], ['--new', ...tenantOptions(tenant)])}`,
    ].join('\n'),
  );
}

function pausedText(tenant: string, before: Pause | null, changed: boolean): string {
  if (!before) return `Tenant ${tenant} is paused: every event is skipped from now on.`;
  const since = `paused already, since ${moment(before.sinceAt, Date.now())}`;
  const was = before.reason === undefined ? '' : `: ${visible(before.reason)}`;
  return changed
    ? `Tenant ${tenant} was ${since}${was}. It has a new reason now.`
    : `Tenant ${tenant} is ${since}${was}.`;
}

export interface KnownPause {
  paused: Pause | null;
  /** False when no event of the tenant was ever reported. */
  hasWatch: boolean;
  /** False when no worker could tell. */
  isAnswered: boolean;
}

/** A kill switch must work without a watch or a worker too. */
export async function pauseOf(mesh: Mesh, tenant: string): Promise<KnownPause> {
  try {
    return { paused: (await mesh.status(tenant)).paused, hasWatch: true, isAnswered: true };
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    if (error.code === 'not-found') return { paused: null, hasWatch: false, isAnswered: true };
    if (error.code === 'no-worker') return { paused: null, hasWatch: true, isAnswered: false };
    throw error;
  }
}
