import { createRequire } from 'node:module';
import { Command } from 'commander';
import { visibleLines } from '#contract/text/plain-text.js';
import { readSettings } from '#contract/settings.js';
import { addAbortCommand } from './abort.js';
import { addCheckCommand } from './check.js';
import { CliError } from './cli-error.js';
import { addDeadCommand } from './dead.js';
import { addGatewayCommand } from './gateway.js';
import { addHookCommand } from './hook-command.js';
import { addInstallCommand } from './install.js';
import { addPauseCommand } from './pause.js';
import type { Programs } from './programs.js';
import { addRearmCommand } from './rearm.js';
import { addResumeCommand } from './resume.js';
import { addRetryCommand } from './retry.js';
import { addRunsCommand } from './runs.js';
import { addSendCommand } from './send.js';
import { addSetupServerCommand } from './setup-server.js';
import { addShowCommand } from './show.js';
import { addSimulateCommand } from './simulate.js';
import { addSpoolCommand } from './spool.js';
import { addStatusCommand } from './status.js';
import { addTokenCommand } from './token.js';
import { addTryCommand } from './try.js';
import { addWhyCommand } from './why.js';

/** The `mesh` command line. */
export function createProgram(programs: Programs = {}): Command {
  const program = new Command('mesh')
    .description('Durable remediation for AI-agent runtimes: report events, write and try rules.')
    .version(version())
    .showHelpAfterError('(mesh --help lists the commands)');
  addSendCommand(program);
  addStatusCommand(program);
  addWhyCommand(program);
  addRunsCommand(program);
  addShowCommand(program);
  addDeadCommand(program);
  addAbortCommand(program);
  addRetryCommand(program);
  addRearmCommand(program);
  addPauseCommand(program);
  addResumeCommand(program);
  addHookCommand(program);
  addInstallCommand(program);
  addSpoolCommand(program);
  addGatewayCommand(program, programs);
  addTokenCommand(program);
  addCheckCommand(program, programs);
  addSimulateCommand(program);
  addTryCommand(program, programs);
  addSetupServerCommand(program);
  return program;
}

function version(): string {
  // By the package's own name, which finds it from the sources and from what they are compiled to.
  const { version } = createRequire(import.meta.url)('remediation-mesh/package.json') as { version: string };
  return version;
}

/** Runs one command line; what goes wrong becomes one line and an exit code, never a stack trace. */
export async function runCli(argv: string[], programs: Programs = {}): Promise<void> {
  // The reader has seen enough, as in `mesh simulate … | head`: no reason for an error.
  process.stdout.once('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  const { settings, problems, warnings } = readSettings(process.env);
  for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`);
  try {
    if (problems.length > 0) throw new CliError(problems.join('\n'));
    await createProgram(programs).parseAsync(argv);
  } catch (error) {
    const { explainError } = await import('./explain-error.js');
    const { message, exitCode } = explainError(error, settings, process.env);
    // Messages quote what was given, which may come from elsewhere and hold what a terminal obeys.
    process.stderr.write(`${visibleLines(message).join('\n')}\n`);
    process.exitCode = exitCode;
  }
}
