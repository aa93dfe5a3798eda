import type { Command } from 'commander';
import { Connection } from '@temporalio/client';
import { readSettings } from '../../contract/settings.js';
import { CONNECT_TIMEOUT_MS, readConnection } from '../connection.js';
import { registerSearchAttributes } from '../search-attributes.js';

export function addSetupServerCommand(program: Command): void {
  program
    .command('setup-server')
    .description('register the search attributes of the mesh on the Temporal server (the dev server has them already)')
    .action(setupServer);
}

async function setupServer(): Promise<void> {
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
