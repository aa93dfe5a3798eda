import type { Command } from 'commander';
import { HOOK_DIALECTS } from '#rules/dialects/index.js';

/**
 * Only for the help and for whoever looks the options up: `mesh.mjs` takes hooks another way, before this file and all that
 * it needs are loaded.
 */
export function addHookCommand(program: Command): void {
  program
    .command('hook')
    .description('report the hook of a runtime, as its settings call it: `mesh install` writes these')
    .argument('<runtime>', `${[...HOOK_DIALECTS.keys()].join(', ')}; the JSON of the hook comes on standard input`)
    .option('--home <folder>', 'state folder, with the spool (default: MESH_HOME)')
    .option('--gateway <url>', 'gateway to report to, or off (default: MESH_GATEWAY_URL, or the local one)')
    .option('--tenant <name>', 'tenant of the event (default: MESH_TENANT, or that of the token)')
    .option('--wait <ms>', 'how long to wait for an answer, from 10 to 3000 (default: 300)')
    .option('--verbose', 'say on standard error what goes wrong')
    .addHelpText('after', '\nEnds with exit code 0 and prints nothing, whatever happens: an agent waits for it.')
    .action(async () => {
      const { runHook } = await import('./hook.js');
      await runHook(process.argv.slice(3), process.env, process.stdin);
    });
}
