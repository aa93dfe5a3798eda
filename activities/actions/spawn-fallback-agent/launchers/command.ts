import { Context } from '@temporalio/activity';
import { missingPrograms } from '#config/missing-programs.js';
import type { CommandAgent, PresetAgent } from '#config/sections/agents.js';
import type { SpawnAnswer } from '#contract/activities.js';
import { formatProblem } from '#contract/text/problem.js';
import type { Environment } from '#contract/settings.js';
import { endStrays } from '#adapters/process/leftovers.js';
import { supervise } from '#adapters/process/live-agents.js';
import { type CommandResult, runCommand, type StartedProcess } from '#adapters/process/run-command.js';
import { agentEnvironment } from '../agent-environment.js';
import { commandLine } from '../command-line.js';
import { agentOf, answer, type Launch, type Launcher, launchFailure, leftMs } from '../launch.js';
import { leftoversOf } from '../leftovers-of.js';
import { createTailReader, type TailReader } from '#adapters/process/output-tail.js';
import { tellRemediation } from '../tell-remediation.js';
import { tellWatch } from '../tell-watch.js';

/** The program is not there or not one. Anything else, such as too many processes, may pass. */
const FINAL_CODES = new Set(['ENOENT', 'EACCES', 'ENOTDIR', 'ENOEXEC', 'E2BIG', 'ERR_INVALID_ARG_VALUE']);

/** Runs a program on this machine and stays with it to its end. */
export const launchCommand: Launcher<CommandAgent | PresetAgent> = async (launch, agent, world) => {
  const { env, secrets } = await agentEnvironment(launch, agent, world.env);
  await tellWatch(launch, world);

  const timeoutMs = leftMs(launch);
  if (timeoutMs === 0) throw tooLate(launch);
  const line = commandLine(agent, launch);
  let told = Promise.resolve();
  const command = {
    ...line,
    cwd: agent.cwd,
    env,
    timeoutMs,
    signal: Context.current().cancellationSignal,
    onStart(process: StartedProcess) {
      launch.details.process = process;
      told = tellRemediation(launch, agentOf(launch, 'running'), world);
    },
    endStrays: (group: number, graceMs: number) =>
      endStrays(leftoversOf(launch, world), { session: launch.session, group, graceMs }),
  };
  const result = await supervise(launch.session, () => runCommand(command));
  await told;
  if (result.ended === 'not-started') {
    const what = `${line.argv[0]} in ${agent.cwd}: ${result.error.message}`;
    throw notStarted(launch, result.error, what + (await remedyOf(result.error, agent, world.env)));
  }
  return judge(result, launch, createTailReader(launch.redactor, secrets));
};

function tooLate(launch: Launch) {
  const message = `Fallback agent launch failed: its time limit of ${launch.timeoutMs}ms was over before it could start`;
  return launchFailure(launch, { type: 'launch-failed', message });
}

function notStarted(launch: Launch, error: NodeJS.ErrnoException, what: string) {
  return launchFailure(launch, {
    type: 'launch-failed',
    message: `Fallback agent launch failed: ${what}`,
    isFinal: FINAL_CODES.has(error.code ?? ''),
    cause: error,
  });
}

/** `EACCES` alone does not tell who may not do what; most often a script lacks its mode. */
async function remedyOf({ code }: NodeJS.ErrnoException, agent: CommandAgent | PresetAgent, env: Environment) {
  if (code !== 'EACCES') return '';
  const problems = await missingPrograms('', agent, env);
  return problems.map((problem) => `: ${formatProblem({ ...problem, path: '' })}`).join('');
}

async function judge(
  result: Exclude<CommandResult, { ended: 'not-started' }>,
  launch: Launch,
  tail: TailReader,
): Promise<SpawnAnswer> {
  switch (result.ended) {
    case 'exit': {
      if (result.exitCode !== 0) {
        const message = `Fallback agent ended with exit code ${result.exitCode}`;
        throw endedBadly(launch, 'agent-failed', message, tail.read(result.output));
      }
      const { outputTail, detail } = tail.read(result.output);
      const agent = agentOf(launch, 'success', { outputTail });
      return answer(launch, 'finished', agent, `Fallback agent ran (exit code 0); ${detail}`);
    }
    case 'signal': {
      const message = `Fallback agent was ended by ${result.signal}`;
      throw endedBadly(launch, 'agent-failed', message, tail.read(result.output));
    }
    case 'timeout': {
      const message = `Fallback agent was ended after its time limit of ${launch.timeoutMs}ms`;
      if (result.goesOn) {
        const agent = agentOf(launch, 'timeout', { outputTail: tail.read(result.output).outputTail });
        const what = `Fallback agent could not be ended after its time limit of ${launch.timeoutMs}ms: ${NOT_OURS}`;
        throw launchFailure(launch, { type: 'timeout', message: what, isFinal: true, agent, mayStillRun: true });
      }
      throw endedBadly(launch, 'timeout', message, tail.read(result.output));
    }
    case 'cancelled':
      if (result.goesOn) launch.details.mayStillRun = true;
      // Rejects with the cancellation itself, which is what the server waits for.
      return Context.current().cancelled;
  }
}

const NOT_OURS = 'what it has started runs as another user';

function endedBadly(
  launch: Launch,
  type: 'agent-failed' | 'timeout',
  message: string,
  { outputTail, detail }: ReturnType<TailReader['read']>,
) {
  const agent = agentOf(launch, type === 'timeout' ? 'timeout' : 'failed', { outputTail });
  return launchFailure(launch, { type, message, detail, agent });
}
