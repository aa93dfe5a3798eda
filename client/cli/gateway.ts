import type { Command } from 'commander';
import { CliError } from './cli-error.js';
import type { Programs } from './programs.js';

export function addGatewayCommand(program: Command, { runGateway }: Programs): void {
  program
    .command('gateway')
    .description('run the HTTP gateway in a process of its own, until Ctrl-C (npm start runs one already)')
    .addHelpText(
      'after',
      '\nIt starts without a Temporal server too, and answers 503 until there is one. Settings: MESH_GATEWAY_PORT,' +
        '\nMESH_GATEWAY_HOST, MESH_CONFIG, MESH_RULES, MESH_HOME.',
    )
    .action(async () => {
      if (!runGateway)
        throw new CliError('this program was started without what runs a gateway: use `npx mesh gateway`');
      await runGateway();
    });
}
