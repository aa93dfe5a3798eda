import { createRequire } from 'node:module';
import { Command } from 'commander';
import { visibleLines } from '#contract/text/plain-text.js';
import { readSettings } from '#contract/settings.js';
import { CliError } from './cli-error.js';
import type { Programs } from './programs.js';

type AddCommand = (program: Command, programs: Programs) => void;

/** Each command in a file that is loaded when it is asked for: to load them all takes longer than most of them need. */
const COMMANDS: Record<string, () => Promise<AddCommand>> = {
  start: async () => (await import('./start.js')).addStartCommand,
  send: async () => (await import('./send.js')).addSendCommand,
  status: async () => (await import('./status.js')).addStatusCommand,
  why: async () => (await import('./why.js')).addWhyCommand,
  events: async () => (await import('./events.js')).addEventsCommand,
  tail: async () => (await import('./tail.js')).addTailCommand,
  runs: async () => (await import('./runs.js')).addRunsCommand,
  show: async () => (await import('./show.js')).addShowCommand,
  dead: async () => (await import('./dead.js')).addDeadCommand,
  abort: async () => (await import('./abort.js')).addAbortCommand,
  retry: async () => (await import('./retry.js')).addRetryCommand,
  rearm: async () => (await import('./rearm.js')).addRearmCommand,
  pause: async () => (await import('./pause.js')).addPauseCommand,
  resume: async () => (await import('./resume.js')).addResumeCommand,
  hook: async () => (await import('./hook-command.js')).addHookCommand,
  install: async () => (await import('./install.js')).addInstallCommand,
  spool: async () => (await import('./spool.js')).addSpoolCommand,
  gateway: async () => (await import('./gateway.js')).addGatewayCommand,
  token: async () => (await import('./token.js')).addTokenCommand,
  check: async () => (await import('./check.js')).addCheckCommand,
  simulate: async () => (await import('./simulate.js')).addSimulateCommand,
  try: async () => (await import('./try.js')).addTryCommand,
  'setup-server': async () => (await import('./setup-server.js')).addSetupServerCommand,
};

/** The `mesh` command line, with all of its commands, or with the one that is asked for. */
export async function createProgram(programs: Programs = {}, asked?: string): Promise<Command> {
  const program = new Command('mesh')
    .description('Durable remediation for AI-agent runtimes: report events, write and try rules.')
    .version(version())
    .showHelpAfterError('(mesh --help lists the commands)');
  const one = asked === undefined || !Object.hasOwn(COMMANDS, asked) ? undefined : COMMANDS[asked];
  const adders = await Promise.all((one ? [one] : Object.values(COMMANDS)).map((load) => load()));
  for (const add of adders) add(program, programs);
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
    const program = await createProgram(programs, argv[2]);
    await program.parseAsync(argv);
  } catch (error) {
    const { explainError } = await import('./explain-error.js');
    const { message, exitCode } = explainError(error, settings, process.env);
    // Messages quote what was given, which may come from elsewhere and hold what a terminal obeys.
    process.stderr.write(`${visibleLines(message).join('\n')}\n`);
    process.exitCode = exitCode;
  }
}
