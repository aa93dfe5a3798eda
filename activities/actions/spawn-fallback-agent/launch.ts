import type { ApplicationFailure } from '@temporalio/common';
import type { MeshConfig } from '#config/mesh-config.js';
import type { AttemptDetails, SpawnAnswer, SpawnRequest } from '#contract/activities.js';
import type { AgentOutcome, StartedAgent } from '#contract/remediation.js';
import type { LineageClaims } from '#rules/lineage/claims.js';
import type { Redactor } from '#contract/text/redact/redact.js';
import { attempt, type Failure, failure } from '../../fail.js';
import type { World } from '../../world.js';

/** All that a launcher needs to know of the one agent it is to start. */
export interface Launch {
  request: SpawnRequest;
  config: MeshConfig;
  redactor: Redactor;
  /** The name of the launcher, and of the one to try when it fails for good. */
  launcher: string;
  next: string | undefined;
  /** Of this launcher's agent: a launcher that is tried in the place of another starts one of its own. */
  effectKey: string;
  /** Session id chosen for the agent. */
  session: string;
  /** Those of the attempts before this one. */
  earlierSessions: string[];
  agentType: string;
  /** One line. */
  description: string;
  prompt: string;
  lineage: LineageClaims;
  /** The same, signed. */
  lineageToken: string;
  /** For the whole of the agent's work; the shorter one of the action's and the launcher's. */
  timeoutMs: number;
  /** When this attempt began, as `performance.now()` counts. */
  startedAt: number;
  /** What heartbeats carry; a launcher adds what it has started. */
  details: AttemptDetails;
  /** Of an agent elsewhere: this attempt, or one before it, has asked for it and may have started it. */
  mayExist: boolean;
  /** False while a question for its slot is not answered: it may still be on its way, and be granted. */
  isSlotKnown: boolean;
}

export type LaunchWorld = Pick<World, 'env' | 'outbound' | 'workflows' | 'agentWorkflows' | 'lineageKey'>;

/** One way to start an agent. Rejects with a `launchFailure`, or with the cancellation when the action is aborted. */
export type Launcher<A> = (launch: Launch, agent: A, world: LaunchWorld) => Promise<SpawnAnswer>;

/** What is left of the time limit: what is done before an agent starts counts too, or the server would end the attempt first. */
export function leftMs({ timeoutMs, startedAt }: Launch): number {
  return Math.max(0, Math.floor(startedAt + timeoutMs - performance.now()));
}

export function agentOf(
  { launcher, session }: Launch,
  outcome: AgentOutcome,
  more: Pick<StartedAgent, 'id' | 'outputTail'> = {},
): StartedAgent {
  return { launcher, session, outcome, ...more };
}

export function answer(
  { next }: Launch,
  state: 'launched' | 'finished',
  agent: StartedAgent,
  detail: string,
): Extract<SpawnAnswer, { state: 'launched' | 'finished' }> {
  return { state, agent, detail, attempts: attempt(), ...(next !== undefined && { next }) };
}

/** Says which launcher failed and which is next, so that the workflow can go on with that one. */
export function launchFailure(
  { launcher, next }: Pick<Launch, 'launcher' | 'next'>,
  { agent, declinedSession, mayStillRun, ...rest }: Omit<Failure, 'more'> & KnownOfAgent,
): ApplicationFailure {
  const known = {
    ...(agent && { agent }),
    ...(declinedSession !== undefined && { declinedSession }),
    ...(mayStillRun && { mayStillRun }),
  };
  // Two at once could undo each other's work.
  const isNext = next !== undefined && !mayStillRun;
  return failure({ ...rest, more: { launcher, ...(isNext && { next }), ...known } });
}

type KnownOfAgent = Pick<AttemptDetails, 'agent' | 'declinedSession' | 'mayStillRun'>;
