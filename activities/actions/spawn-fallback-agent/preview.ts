import { missingPrograms } from '#config/missing-programs.js';
import { missingSecrets } from '#config/missing-secrets.js';
import type { Agent, CommandAgent, PresetAgent } from '#config/sections/agents.js';
import type { SpawnPlan } from '#contract/actions/spawn-fallback-agent/schema.js';
import type { ActionRequest } from '#contract/activities.js';
import type { PreviewPart, PreviewStep } from '#contract/preview.js';
import { formatProblem } from '#contract/text/problem.js';
import { shellWord } from '#contract/text/shell-word.js';
import { shownAddress } from '../../shown-address.js';
import type { PreviewDesk, Previewer } from '../preview.js';
import { agentRequestOf, endpointRequest } from './agent-request.js';
import { type ChosenLauncher, launchersFor, NO_LAUNCHER } from './choose-launcher.js';
import type { Launch } from './launch.js';
import { commandLine, meshVariables } from './launchers/command-line.js';
import { prepareLaunch } from './prepare-launch.js';

/** Every launcher that would be tried, with what it would be given. */
export const previewSpawnFallbackAgent: Previewer<SpawnPlan> = async (asked, desk) => {
  const launchers = launchersFor(desk.config.agents, asked.plan);
  if (launchers.length === 0) return { status: 'fails', reason: NO_LAUNCHER, steps: [], warnings: [] };
  const steps = launchers.map((chosen, index) => previewLaunch(asked, chosen, launchers[index - 1], desk));
  const warnings = launchers.map((chosen) => warningsOf(chosen, desk));
  const taken = launchers[0]?.name;
  return {
    status: 'ready',
    steps: await Promise.all(steps),
    warnings: [...substituteOf(asked, taken), ...(await Promise.all(warnings)).flat()],
  };
};

type Asked = ActionRequest<SpawnPlan>;

/** Most often the agent type is misspelt. */
function substituteOf({ plan: { agentType } }: Asked, taken: string | undefined): string[] {
  if (agentType === undefined || taken === undefined || agentType === taken) return [];
  return [`launcher ${taken} is taken, since mesh.yaml has none for ${agentType}`];
}

async function previewLaunch(
  asked: Asked,
  chosen: ChosenLauncher,
  before: ChosenLauncher | undefined,
  desk: PreviewDesk,
): Promise<PreviewStep> {
  const launch = launchOf(asked, chosen, desk);
  const { destination, parts } = await shown(launch, chosen.agent);
  return {
    what: `launcher ${chosen.name}`,
    destination,
    ...(before && { when: `when ${before.name} has failed for good` }),
    parts: [{ part: 'prompt', text: launch.prompt }, ...parts],
  };
}

/** What is made at each start is named here, not made: it would prove something for an agent that nobody has started. */
function launchOf(asked: Asked, chosen: ChosenLauncher, { config, redactKeys, nowMs }: PreviewDesk): Launch {
  const request = { ...asked, launcher: chosen.name, isFallback: chosen.isFallback, startedAt: nowMs };
  const facts = { request, config, chosen, tryKey: '', attempt: 1, startedAt: 0 };
  const launch = prepareLaunch(facts, { redactKeys, lineageKey: '' });
  return { ...launch, session: 'SESSION-OF-THE-AGENT', lineageToken: 'SIGNED-WHEN-IT-IS-STARTED' };
}

async function shown(launch: Launch, agent: Agent): Promise<Pick<PreviewStep, 'destination' | 'parts'>> {
  switch (agent.kind) {
    case 'command':
    case 'preset':
      return shownCommand(launch, agent);
    case 'http': {
      // As they are written: no secret is read to be shown.
      const { url, method, headers = {}, body = '' } = await endpointRequest(launch, agent.http, async (it) => it);
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      return {
        destination: `${method} ${shownAddress(url)}`,
        parts: [
          { part: 'headers', text: lines.join('\n') },
          { part: 'body', text: JSON.stringify(JSON.parse(body), null, 2) },
        ],
      };
    }
    case 'temporal': {
      const { workflowType, taskQueue } = agent.temporal;
      return {
        destination: `workflow ${workflowType} on task queue ${taskQueue}, with the id ${launch.effectKey}`,
        parts: [{ part: 'argument', text: JSON.stringify(agentRequestOf(launch), null, 2) }],
      };
    }
  }
}

function shownCommand(launch: Launch, agent: CommandAgent | PresetAgent): Pick<PreviewStep, 'destination' | 'parts'> {
  const { argv, stdin } = commandLine(agent, launch);
  const isLastArgument = agent.kind === 'command' && agent.prompt === 'argument';
  const words = (isLastArgument ? argv.slice(0, -1) : argv).map(shownWord);
  const prompt = isLastArgument ? ['THE-PROMPT'] : [];
  return {
    destination: `program ${argv[0]} in ${agent.cwd}, prompt ${stdin === '' ? 'as the last argument' : 'on standard input'}`,
    parts: [{ part: 'arguments', text: [...words, ...prompt].join(' ') }, environmentOf(launch, agent)],
  };
}

/** As one would type it. */
function shownWord(word: string): string {
  return /^-[\w=.,:/-]*$/.test(word) ? word : shellWord(word);
}

/** Values of the mesh only: those of the configuration may be secret. */
function environmentOf(launch: Launch, { inheritEnv, env }: CommandAgent | PresetAgent): PreviewPart {
  const mesh = Object.entries(meshVariables(launch, 1)).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${shellWord(value)}`],
  );
  const others = [
    ...inheritEnv.map((name) => `${name}   (of the worker)`),
    ...Object.keys(env).map((name) => `${name}   (of the configuration)`),
  ];
  return { part: 'environment', text: [...mesh, ...others].join('\n') };
}

async function warningsOf({ name, agent }: ChosenLauncher, { config, env }: PreviewDesk): Promise<string[]> {
  const problems = [
    ...(await missingPrograms(name, agent, env)),
    ...(await missingSecrets(agent, ['agents', name], { folder: config.folder, env })),
  ];
  return problems.map(formatProblem);
}
