import type { Command } from 'commander';
import { DEFAULT_PAGE, type DeadFilter, MAX_PAGE } from '../filters.js';
import { limitFrom } from './runs.js';
import { print, printJson } from './print.js';
import { renderDead } from './render/dead.js';
import { renderSections } from './render/facts.js';
import { TENANT_OPTION, tenantFrom, tenantOptions } from './tenant-option.js';
import { screenOf } from './terminal/screen.js';
import { meshCommand, shellWord } from './terminal/shell-word.js';
import { withMesh } from './open-mesh.js';

interface DeadOptions {
  rule?: string;
  limit?: string;
  page?: string;
  tenant?: string;
  json?: boolean;
}

export function addDeadCommand(program: Command): void {
  program
    .command('dead')
    .description(
      'list what gave up or was terminated, with why: remediations, messages of the mesh, and capacity not given back',
    )
    .option('--rule <id>', 'only that of one rule')
    .option('--limit <n>', `how many, up to ${MAX_PAGE} (default: ${DEFAULT_PAGE})`)
    .option('--page <token>', 'go on where the last list ended; it says how')
    .option(...TENANT_OPTION)
    .option('--json', 'print {"dead": […], "nextPage": "…"}')
    .action(listDead);
}

async function listDead(options: DeadOptions): Promise<void> {
  const { rule, limit, page } = options;
  const tenant = tenantFrom(options, process.env);
  const filter: DeadFilter = {
    tenant,
    ...(rule !== undefined && { rule }),
    ...(limit !== undefined && { limit: limitFrom(limit) }),
    ...(page !== undefined && { page }),
  };
  const found = await withMesh((mesh) => mesh.dead(filter));
  if (options.json) return printJson(found);
  const { dead, nextPage } = found;
  const nothing = `Nothing gave up: tenant ${tenant}${rule === undefined ? '' : `, rule ${JSON.stringify(rule)}`}.`;
  print(
    renderSections([
      dead.length === 0 ? nothing : renderDead(dead, Date.now(), screenOf(process.stdout, process.env)),
      nextPage === undefined ? '' : `More: ${nextCommand(options, tenant, nextPage)}`,
    ]),
  );
}

function nextCommand({ rule, limit }: DeadOptions, tenant: string, page: string): string {
  const options = [
    ...(rule === undefined ? [] : ['--rule', shellWord(rule)]),
    ...(limit === undefined ? [] : ['--limit', limit]),
    ...tenantOptions(tenant),
    ...['--page', page],
  ];
  return meshCommand('dead', [], options);
}
