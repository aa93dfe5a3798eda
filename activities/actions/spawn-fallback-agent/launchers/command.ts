import { Context } from '@temporalio/activity';
import type { CommandAgent, PresetAgent } from '../../../../config/sections/agents.js';
import type { SpawnAnswer } from '../../../../contract/activities.js';
import { supervise } from '../adapters/live-agents.js';
import { type CommandResult, runCommand, type StartedProcess } from '../adapters/run-command.js';
import { agentEnvironment } from '../agent-environment.js';
import { commandLine } from '../command-line.js';
import { agentOf, answer, type Launch, type Launcher, launchFailure, leftMs } from '../launch.js';
import { createTailReader, type TailReader } from '../output-tail.js';
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
  };
  const result = await supervise(launch.session, () => runCommand(command));
  await told;
  return judge(result, launch, createTailReader(launch.redactor, secrets), `${line.argv[0]} in ${agent.cwd}`);
};

function tooLate(launch: Launch) {
  const message = `Fallback agent launch failed: its time limit of ${launch.timeoutMs}ms was over before it could start`;
  return launchFailure(launch, { type: 'launch-failed', message });
}

async function judge(result: CommandResult, launch: Launch, tail: TailReader, what: string): Promise<SpawnAnswer> {
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
      throw endedBadly(launch, 'timeout', message, tail.read(result.output));
    }
    case 'not-started':
      throw launchFailure(launch, {
        type: 'launch-failed',
        message: `Fallback agent launch failed: ${what}: ${result.error.message}`,
        isFinal: FINAL_CODES.has((result.error as NodeJS.ErrnoException).code ?? ''),
        cause: result.error,
      });
    case 'cancelled':
      // Rejects with the cancellation itself, which is what the server waits for.
      return Context.current().cancelled;
  }
}

function endedBadly(
  launch: Launch,
  type: 'agent-failed' | 'timeout',
  message: string,
  { outputTail, detail }: ReturnType<TailReader['read']>,
) {
  const agent = agentOf(launch, type === 'timeout' ? 'timeout' : 'failed', { outputTail });
  return launchFailure(launch, { type, message, detail, agent });
}
