import type { Command } from 'commander';
import { print, printJson } from './print.js';
import { renderRun } from './render/run.js';
import { TENANT_OPTION } from './tenant-option.js';
import { screenOf } from './terminal/screen.js';
import { RUN_ARGUMENT, withRun } from './with-run.js';

interface ShowOptions {
  payload?: boolean;
  tenant?: string;
  json?: boolean;
}

export function addShowCommand(program: Command): void {
  program
    .command('show')
    .description('show one remediation: its event, each action with its result, and what can be done about it')
    .argument(...RUN_ARGUMENT)
    .option('--payload', 'the whole payload of the event, not only its beginning')
    .option(...TENANT_OPTION)
    .option('--json', 'print one JSON object')
    .action(showRun);
}

async function showRun(run: string, options: ShowOptions): Promise<void> {
  const detail = await withRun(run, options, 'show', (mesh, id) => mesh.remediation(id));
  if (options.json) printJson(detail);
  else print(renderRun(detail, options.payload === true, Date.now(), screenOf(process.stdout, process.env)));
}
