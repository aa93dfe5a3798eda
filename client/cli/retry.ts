import type { Command } from 'commander';
import { isNoticeId } from '#contract/ids.js';
import { visible } from '#contract/text/plain-text.js';
import { print, printJson } from './print.js';
import { TENANT_OPTION } from './tenant-option.js';
import { meshCommand } from './terminal/shell-word.js';
import { RETRIED_ARGUMENT, withRun } from './with-run.js';

interface RetryOptions {
  tenant?: string;
  json?: boolean;
}

export function addRetryCommand(program: Command): void {
  program
    .command('retry')
    .description('run the actions of a remediation that were not done again, with the same effect keys')
    .argument(...RETRIED_ARGUMENT)
    .option(...TENANT_OPTION)
    .option('--json', 'print {"id": "…", "runId": "…", "actions": […]}')
    .action(retryRun);
}

async function retryRun(run: string, options: RetryOptions): Promise<void> {
  const retried = await withRun(run, options, 'retry', async (mesh, id) => ({ id, ...(await mesh.retry(id)) }));
  if (options.json) return printJson(retried);
  const { id, actions } = retried;
  print(
    [
      `Retrying ${id}: ${actions.map(visible).join(', ')}.`,
      'What was done before is not done again.',
      isNoticeId(id)
        ? `If it fails again: ${meshCommand('dead', [])} says why. Its page in the Temporal UI shows how it stands.`
        : `To see the effect: ${meshCommand('show', [id])}`,
    ].join('\n'),
  );
}
