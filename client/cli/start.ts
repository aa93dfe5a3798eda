import type { Command } from 'commander';
import { CliError } from './cli-error.js';
import type { Programs } from './programs.js';

export function addStartCommand(program: Command, { runStart }: Programs): void {
  program
    .command('start')
    .description('run the mesh until Ctrl-C: a worker, the gateway, and a Temporal server unless one is given')
    .option('--quiet', 'print no line for each event and remediation')
    .addHelpText('after', '\nIn a clone, npm start does the same, and compiles before what has changed.')
    .action(async ({ quiet }: { quiet?: boolean }) => {
      if (!runStart) throw new CliError('this program was started without what runs a mesh: use `npx mesh start`');
      // Whoever reads its lines may go: the mesh goes on.
      process.stdout.removeAllListeners('error');
      await runStart(quiet === true);
    });
}
