import type { Command } from 'commander';
import { print, printJson } from './print.js';
import { TENANT_OPTION } from './tenant-option.js';
import { meshCommand } from './terminal/shell-word.js';
import { RUN_ARGUMENT, withRun } from './with-run.js';

interface AbortOptions {
  tenant?: string;
  json?: boolean;
}

export function addAbortCommand(program: Command): void {
  program
    .command('abort')
    .description('end a running remediation: what runs is ended, what waits is not started')
    .argument(...RUN_ARGUMENT)
    .option(...TENANT_OPTION)
    .option('--json', 'print {"id": "…", "aborting": true}')
    .action(abortRun);
}

async function abortRun(run: string, options: AbortOptions): Promise<void> {
  const id = await withRun(run, options, 'abort', async (mesh, found) => {
    await mesh.abort(found);
    return found;
  });
  if (options.json) return printJson({ id, aborting: true });
  print(
    [
      `Aborting ${id}.`,
      'What runs hears of it within about two seconds; what waits is not started.',
      `To see the effect: ${meshCommand('show', [id])}`,
    ].join('\n'),
  );
}
