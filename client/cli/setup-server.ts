import type { Command } from 'commander';
import { readSettings } from '#contract/settings.js';

export function addSetupServerCommand(program: Command): void {
  program
    .command('setup-server')
    .description('register the search attributes of the mesh on the Temporal server (the dev server has them already)')
    .action(setupServer);
}

async function setupServer(): Promise<void> {
  const [{ Connection }, { CONNECT_TIMEOUT_MS, readConnection }, { registerSearchAttributes }] = await Promise.all([
    import('@temporalio/client'),
    import('../connection.js'),
    import('../search-attributes.js'),
  ]);
  const { address, namespace, options } = readConnection(readSettings(process.env).settings, process.env);
  const connection = await Connection.connect({ address, ...options, connectTimeout: CONNECT_TIMEOUT_MS });
  try {
    const added = await registerSearchAttributes(connection, namespace);
    const what = added.length === 0 ? 'has all search attributes already' : `now has ${added.join(', ')}`;
    process.stdout.write(`Namespace ${namespace} at ${address} ${what}.\n`);
  } finally {
    await connection.close();
  }
}
