import { Context } from '@temporalio/activity';
import type { Agent, MeshConfig } from '../config/mesh-config.js';
import type { ActionActivities, ActionRequest } from '../contract/activities.js';
import type { AGENT_VARIABLES } from '../contract/settings.js';
import type { SpawnPlan } from '../contract/remediation.js';
import { renderTemplate } from '../rules/template.js';
import { defaultPrompt, defaultSpawnDescription } from '../rules/default-texts.js';
import { readField } from '../rules/read-field.js';
import { type CommandResult, endLeftover, runCommand } from './adapters/run-command.js';
import { attempt, failure } from './fail.js';
import { detailsOfLastAttempt, withHeartbeat } from './heartbeat.js';
import type { World } from './index.js';
import { loadConfig } from './load-config.js';

/** What every program needs to run at all; anything else of the worker's environment must be asked for. */
const BASIC_VARIABLES = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'LC_ALL',
  'TERM',
  'TMPDIR',
  'TZ',
  'SHELL',
  'SystemRoot',
  'PATHEXT',
];

/** The program is not there or not one. Anything else, such as too many processes, may pass. */
const FINAL_CODES = new Set(['ENOENT', 'EACCES', 'ENOTDIR', 'ENOEXEC']);

/** Starts the command configured for the agent type, waits for its end, and records how it went. */
export function makeSpawnFallbackAgent({
  config,
  env,
}: Pick<World, 'config' | 'env'>): ActionActivities['spawnFallbackAgent'] {
  return async (request) => {
    const { plan } = request;
    const { agents } = await loadConfig(config);
    const agent = chooseAgent(agents, plan.agentType);
    if (!agent) {
      const message = 'No fallback agent launcher is registered in runtime context';
      throw failure({ type: 'no-launcher', message, isFinal: true });
    }
    const result = await run(request, agent, env);
    return judgeResult(result, agent);
  };
}

/** The exact type, or else the default one. Own keys only: a type called "constructor" is no agent. */
function chooseAgent(agents: MeshConfig['agents'], agentType = 'default'): Agent | undefined {
  return Object.hasOwn(agents, agentType) ? agents[agentType] : agents['default'];
}

async function run(request: ActionRequest<SpawnPlan>, agent: Agent, env: World['env']): Promise<CommandResult> {
  const last = detailsOfLastAttempt();
  if (last?.process) await endLeftover(last.process, request.plan.effectKey);

  return withHeartbeat((details) =>
    runCommand({
      argv: agent.command,
      cwd: agent.cwd,
      env: agentEnvironment(request, agent, env),
      stdin: promptFor(request),
      timeoutMs: Math.min(request.plan.timeoutMs, agent.timeoutMs ?? Infinity),
      signal: Context.current().cancellationSignal,
      onStart(process) {
        details.process = process;
      },
    }),
  );
}

async function judgeResult(result: CommandResult, agent: Agent): ReturnType<ActionActivities['spawnFallbackAgent']> {
  const program = agent.command[0] ?? '';
  switch (result.ended) {
    case 'exit': {
      const output = result.outputTail.trim() === '' ? 'no output' : `output: ${result.outputTail.trim()}`;
      if (result.exitCode === 0) {
        return { status: 'executed', detail: `Fallback agent ran (exit code 0); ${output}`, attempts: attempt() };
      }
      const message = `Fallback agent ended with exit code ${result.exitCode}`;
      throw failure({ type: 'agent-failed', message, detail: output });
    }
    case 'signal':
      throw failure({
        type: 'agent-failed',
        message: `Fallback agent was ended by ${result.signal}`,
        detail: `output: ${result.outputTail.trim()}`,
      });
    case 'timeout':
      throw failure({
        type: 'timeout',
        message: `Fallback agent was ended after its time limit of ${result.timeoutMs}ms`,
        detail: `output: ${result.outputTail.trim()}`,
      });
    case 'not-started':
      throw failure({
        type: 'launch-failed',
        message: `Fallback agent launch failed: ${program} in ${agent.cwd}: ${result.error.message}`,
        isFinal: FINAL_CODES.has((result.error as NodeJS.ErrnoException).code ?? ''),
        cause: result.error,
      });
    case 'cancelled':
      // Rejects with the cancellation itself, which is what the server waits for.
      return Context.current().cancelled;
  }
}

function promptFor({ plan, remediation }: ActionRequest<SpawnPlan>): string {
  const { rule, event } = remediation;
  return plan.promptTemplate === undefined
    ? defaultPrompt(rule, event)
    : renderTemplate(plan.promptTemplate, rule, event);
}

function agentEnvironment(
  { plan, remediation }: ActionRequest<SpawnPlan>,
  agent: Agent,
  env: World['env'],
): Record<string, string> {
  const { rule, event, id } = remediation;
  const description =
    plan.description === undefined ? defaultSpawnDescription(event) : renderTemplate(plan.description, rule, event);
  const mesh: Record<keyof typeof AGENT_VARIABLES, string | undefined> = {
    MESH_TENANT: event.tenant,
    MESH_EVENT_ID: event.id,
    MESH_EVENT: event.event,
    MESH_OUTCOME: event.outcome,
    MESH_SESSION: event.session,
    MESH_TOOL: readField(event.payload, 'tool'),
    MESH_RULE: rule,
    MESH_ACTION: plan.name,
    MESH_AGENT_TYPE: plan.agentType ?? 'default',
    MESH_MODEL: plan.model,
    MESH_DESCRIPTION: description,
    MESH_REMEDIATION: id,
    MESH_EFFECT_KEY: plan.effectKey,
    MESH_ATTEMPT: String(attempt()),
    MESH_DEPTH: String(event.depth + 1),
    MESH_ROOT_EVENT: event.lineage?.root ?? event.id,
  };
  const inherited = [...BASIC_VARIABLES, ...agent.inheritEnv].map((name) => [name, env[name]] as const);
  // A zero byte in a value, or too long a value, would keep the program from starting at all.
  const safe = Object.entries(mesh).map(
    ([name, value]) => [name, value?.replaceAll('\0', '').slice(0, 8_192)] as const,
  );
  const all = [...inherited, ...Object.entries(agent.env), ...safe];
  return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
