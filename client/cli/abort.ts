import type { Command } from 'commander';
import type { Mesh } from '../mesh.js';
import { print, printJson } from './print.js';
import { ABORT_WAITS } from './render/remediation-lines.js';
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
  const { id, waits } = await withRun(run, options, 'abort', async (mesh, found) => {
    await mesh.abort(found);
    return { id: found, waits: !options.json && (await waitsForWorker(mesh, found)) };
  });
  if (options.json) return printJson({ id, aborting: true });
  print(
    [
      `Aborting ${id}.`,
      waits ? `No worker answers. ${ABORT_WAITS}` : HEARD,
      `To see the effect: ${meshCommand('show', [id])}`,
    ].join('\n'),
  );
}

const HEARD = 'What runs hears of it within about a second; what waits is not started.';

/** Takes three seconds where none is there, and next to nothing where one is. The abort is asked for whatever comes of this. */
async function waitsForWorker(mesh: Mesh, id: string): Promise<boolean> {
  try {
    const { isAborting, progress } = await mesh.remediation(id);
    return isAborting === true && progress === undefined;
  } catch {
    return false;
  }
}
