import type { Command } from 'commander';
import { pauseOf } from './pause.js';
import { print, printJson } from './print.js';
import { TENANT_OPTION, tenantFrom, tenantOptions } from './tenant-option.js';
import { meshCommand } from './terminal/shell-word.js';
import { moment } from './terminal/times.js';
import { withWatch } from './open-mesh.js';

interface ResumeOptions {
  tenant?: string;
  json?: boolean;
}

export function addResumeCommand(program: Command): void {
  program
    .command('resume')
    .description('end a pause: events are judged again')
    .option(...TENANT_OPTION)
    .option('--json', 'print {"tenant": "…", "paused": false, "changed": true}')
    .action(resume);
}

async function resume(options: ResumeOptions): Promise<void> {
  const tenant = tenantFrom(options, process.env);
  const { before, changed } = await withWatch(tenant, async (mesh) => {
    const known = await pauseOf(mesh, tenant);
    const isNeeded = known.paused !== null || !known.isAnswered;
    if (isNeeded) await mesh.resume(tenant);
    return { before: known, changed: isNeeded };
  });
  if (options.json) return printJson({ tenant, paused: false, changed });
  if (!changed) return print(`Tenant ${tenant} is not paused: nothing to do.`);
  const since = before.paused === null ? '' : `, paused since ${moment(before.paused.sinceAt, Date.now())},`;
  print(
    [
      `Tenant ${tenant}${since} is resumed: events are judged again.`,
      ...(before.isAnswered
        ? ['What was skipped stays skipped.']
        : ['No worker answers: it takes effect once one runs.']),
      `To see the effect: ${meshCommand('status', [], tenantOptions(tenant))}`,
    ].join('\n'),
  );
}
