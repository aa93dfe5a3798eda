import { Context } from '@temporalio/activity';
import { missingPrograms } from '#config/missing-programs.js';
import type { CommandAgent, PresetAgent } from '#config/sections/agents.js';
import type { SpawnAnswer } from '#contract/activities.js';
import { formatProblem } from '#contract/text/problem.js';
import type { Environment } from '#contract/settings.js';
import { endStrays } from '#adapters/process/leftovers.js';
import { supervise } from '#adapters/process/live-agents.js';
import { type CommandResult, runCommand, type StartedProcess } from '#adapters/process/run-command.js';
import { failure } from '../../../fail.js';
import type { Attempt } from '../attempt.js';
import { agentOf, answer, type Launch, type Launcher, leftMs, leftoversOf } from '../launch.js';
import { createTailReader, type TailReader } from '#adapters/process/output-tail.js';
import { tellLaunched, tellWatch } from '../announce.js';
import { agentEnvironment, commandLine } from './command-line.js';

/** The program is not there or not one. Anything else, such as too many processes, may pass. */
const FINAL_CODES = new Set(['ENOENT', 'EACCES', 'ENOTDIR', 'ENOEXEC', 'E2BIG', 'ERR_INVALID_ARG_VALUE']);

/** Runs a program on this machine and stays with it to its end. */
export const launchCommand: Launcher<CommandAgent | PresetAgent> = async (launch, agent, attempt, world) => {
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
      const started = agentOf(launch, 'running');
      attempt.runs(started, process);
      told = tellLaunched(launch, started, world);
    },
    endStrays: (group: number, graceMs: number) =>
      endStrays(leftoversOf(launch.request, launch.earlierSessions, world), {
        session: launch.session,
        group,
        graceMs,
      }),
  };
  const result = await supervise(launch.session, () => runCommand(command));
  await told;
  if (result.ended === 'not-started') {
    const what = `${line.argv[0]} in ${agent.cwd}: ${result.error.message}`;
    throw notStarted(result.error, what + (await remedyOf(result.error, agent, world.env)));
  }
  return judge(result, launch, attempt, createTailReader(launch.redactor, secrets));
};

function tooLate(launch: Launch) {
  const message = `Fallback agent launch failed: its time limit of ${launch.timeoutMs}ms was over before it could start`;
  return failure({ type: 'launch-failed', message });
}

function notStarted(error: NodeJS.ErrnoException, what: string) {
  return failure({
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
  attempt: Attempt,
  tail: TailReader,
): Promise<SpawnAnswer> {
  if (result.ended === 'cancelled') {
    if (result.goesOn) attempt.left(agentOf(launch, 'running'));
    // Rejects with the cancellation itself, which is what the server waits for.
    return Context.current().cancelled;
  }
  const { outputTail, detail } = tail.read(result.output);
  const endedBadly = (type: 'agent-failed' | 'timeout', message: string) => {
    attempt.ended(agentOf(launch, type === 'timeout' ? 'timeout' : 'failed', { outputTail }));
    return failure({ type, message, detail });
  };
  switch (result.ended) {
    case 'exit':
      if (result.exitCode !== 0) {
        throw endedBadly('agent-failed', `Fallback agent ended with exit code ${result.exitCode}`);
      }
      return answer(
        'finished',
        agentOf(launch, 'success', { outputTail }),
        `Fallback agent ran (exit code 0); ${detail}`,
      );
    case 'signal':
      throw endedBadly('agent-failed', `Fallback agent was ended by ${result.signal}`);
    case 'timeout': {
      if (!result.goesOn) {
        throw endedBadly('timeout', `Fallback agent was ended after its time limit of ${launch.timeoutMs}ms`);
      }
      attempt.left(agentOf(launch, 'timeout', { outputTail }));
      const what = `Fallback agent could not be ended after its time limit of ${launch.timeoutMs}ms: ${NOT_OURS}`;
      throw failure({ type: 'timeout', message: what, isFinal: true });
    }
  }
}

const NOT_OURS = 'what it has started runs as another user';
