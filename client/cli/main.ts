import { createRequire } from 'node:module';
import { Command } from 'commander';
import { readSettings, type Settings } from '../../contract/settings.js';
import { explainConnectionError, readConnection } from '../connection.js';
import { addCheckCommand } from './check.js';
import { CliError } from './cli-error.js';
import { addSendCommand } from './send.js';
import { addSetupServerCommand } from './setup-server.js';
import { addSimulateCommand } from './simulate.js';

/** The `mesh` command line. */
export function createProgram(): Command {
  const program = new Command('mesh')
    .description('Durable remediation for AI-agent runtimes: report events, write and try rules.')
    .version(version())
    .showHelpAfterError('(mesh --help lists the commands)');
  addSendCommand(program);
  addCheckCommand(program);
  addSimulateCommand(program);
  addSetupServerCommand(program);
  return program;
}

function version(): string {
  // By the package's own name, which finds it from the sources and from what they are compiled to.
  const { version } = createRequire(import.meta.url)('remediation-mesh/package.json') as { version: string };
  return version;
}

/** Runs one command line; what goes wrong becomes one line and an exit code, never a stack trace. */
export async function runCli(argv: string[]): Promise<void> {
  // The reader has seen enough, as in `mesh simulate … | head`: no reason for an error.
  process.stdout.once('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  const { settings, problems, warnings } = readSettings(process.env);
  for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`);
  try {
    if (problems.length > 0) throw new CliError(problems.join('\n'));
    await createProgram().parseAsync(argv);
  } catch (error) {
    const unreachable = error instanceof CliError ? undefined : explain(error, settings);
    process.stderr.write(`${unreachable ?? (error instanceof Error ? error.message : String(error))}\n`);
    process.exitCode = unreachable === undefined ? 1 : 2;
  }
}

/** Broken connection settings are themselves the error then, and can explain no other. */
function explain(error: unknown, settings: Settings): string | undefined {
  try {
    return explainConnectionError(error, readConnection(settings, process.env));
  } catch {
    return undefined;
  }
}
