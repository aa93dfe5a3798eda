import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger } from '@temporalio/worker';
import { makeAskForSlot } from '#activities/actions/spawn-fallback-agent/ask-for-slot.js';
import { makeEndFallbackAgent } from '#activities/actions/spawn-fallback-agent/end-agent.js';
import { makeSpawnFallbackAgent } from '#activities/actions/spawn-fallback-agent/activity.js';
import { createOutbound } from '#adapters/http/create-outbound.js';
import type { World } from '#activities/world.js';
import { parseMeshConfig } from '#config/mesh-config.js';
import type { SpawnPlan } from '#contract/actions/spawn-fallback-agent/schema.js';
import type { AskedSlot, EndRequest, SlotQuestion, SpawnAnswer, SpawnRequest } from '#contract/activities.js';
import type { AgentKnown, SpawnDetails } from '#contract/attempt.js';
import type { MeshEvent } from '#contract/event.js';
import type { AgentNews, RemediationInput, StartedAgent } from '#contract/remediation.js';
import type { SlotRequest } from '#contract/slots.js';
import type { AnnouncedAgent } from '#contract/watch.js';
import { anEvent } from './builders.js';

export const LINEAGE_KEY = 'the key of these tests';

/** The same for all attempts of all activities of an action. */
const STARTED_AT = Date.now();

export interface SpawnSetup {
  agents: Record<string, unknown>;
  /** Where the configuration file would be. */
  folder: string;
  env?: Record<string, string>;
  redact?: { keys?: string[]; patterns?: string[] };
  privateHosts?: string[];
  /** In place of the file that is made of the rest. */
  config?: World['config'];
  maxRedirects?: number;
  agentWorkflows?: World['agentWorkflows'];
  /** Before what it is told is written down. */
  tellWatch?(): Promise<unknown>;
  tellRemediation?: World['workflows']['tellRemediation'];
  /** Which remediations are closed, and since when; none if it is not given. */
  closedAt?: World['workflows']['closedAt'];
  /** Whether the remediation was aborted; if it is not given, it was not. */
  isCancelRequested?: World['workflows']['isCancelRequested'];
}

export interface SpawnBench {
  /** What the watch and the remediation were told, in order. */
  known: AnnouncedAgent[];
  news: { remediation: string; news: AgentNews }[];
  /** Agents that the remediation was told were about to be asked for. */
  asked: StartedAgent[];
  /** Which attempts it was told of that they were about to ask for one, and that they have started none. */
  attempts: { state: 'asked' | 'not-started'; attempt: string | undefined }[];
  /** The slots that were asked for. */
  slots: { launcher: string; asked: SlotRequest }[];
  ask(question: SlotQuestion): Promise<AskedSlot>;
  spawn(request: SpawnRequest, info?: AttemptInfo): SpawnRun;
  endAgent(request: EndRequest): Promise<AgentKnown>;
  /** One that goes wrong: how. */
  failure(request: SpawnRequest, info?: AttemptInfo): Promise<SpawnFailure>;
}

export interface AttemptInfo {
  attempt?: number;
  runId?: string;
  /** The last heartbeat of the attempt before. */
  earlier?: SpawnDetails | undefined;
}

export interface SpawnRun {
  answer: Promise<SpawnAnswer>;
  heartbeats: SpawnDetails[];
  environment: MockActivityEnvironment;
}

export interface SpawnFailure {
  type: string | null | undefined;
  message: string;
  isFinal: boolean;
  retryAfterMs: unknown;
  details: SpawnDetails;
}

/** The activity as a worker has it, with real processes and requests; only what it tells other workflows is written down. */
export function createSpawnBench(setup: SpawnSetup): SpawnBench {
  const { agents, folder, redact = {}, privateHosts = ['127.0.0.1'], maxRedirects = 0 } = setup;
  const config = parseMeshConfig(
    JSON.stringify({ agents, redact, outbound: { privateHosts, maxRedirects } }),
    join(folder, 'mesh.yaml'),
  );
  if (!config.ok) throw new Error(`the configuration of this test is not valid: ${JSON.stringify(config.problems)}`);
  // Test files run at the same time, and one must not take the agents of another for its own.
  const ownRun = randomUUID();
  const known: AnnouncedAgent[] = [];
  const news: SpawnBench['news'] = [];
  const asked: StartedAgent[] = [];
  const attempts: SpawnBench['attempts'] = [];
  const slots: SpawnBench['slots'] = [];
  const unused = () => Promise.reject(new Error('not a part of this'));
  const world: Parameters<typeof makeSpawnFallbackAgent>[0] = {
    config: setup.config ?? {
      get: () => Promise.resolve({ available: true, value: config.value, hash: 'h', problems: [] }),
    },
    env: { PATH: process.env['PATH'], ...setup.env },
    redactKeys: [],
    lineageKey: LINEAGE_KEY,
    outbound: createOutbound(),
    agentWorkflows: setup.agentWorkflows ?? { start: unused, result: unused, cancel: unused },
    workflows: {
      startRemediation: unused,
      isStarted: unused,
      startNotice: unused,
      keepLease: unused,
      tellWatchOfAlert: unused,
      isAlertOpen: unused,
      toldBy: unused,
      async tellWatchOfAgents(_tenant, agents) {
        await setup.tellWatch?.();
        known.push(...agents);
      },
      async askForSlot(launcher, asked) {
        slots.push({ launcher, asked });
        return `slots/test/${launcher}`;
      },
      closedAt: setup.closedAt ?? (() => Promise.resolve(undefined)),
      isCancelRequested: setup.isCancelRequested ?? (() => Promise.resolve(false)),
      tellRemediation:
        setup.tellRemediation ??
        (async (remediation, told) => {
          if (told.state === 'asked') asked.push(structuredClone(told.agent));
          if (told.state === 'asked' || told.state === 'not-started') {
            attempts.push({ state: told.state, attempt: told.attempt });
          } else news.push({ remediation, news: structuredClone(told) });
        }),
    },
  };
  const activity = makeSpawnFallbackAgent(world);
  const bench: SpawnBench = {
    known,
    news,
    asked,
    attempts,
    slots,
    ask: (question) =>
      new MockActivityEnvironment({
        workflowExecution: { workflowId: 'the remediation', runId: 'its run' },
      }).run(makeAskForSlot(world), question),
    spawn(request, { attempt = 1, runId = ownRun, earlier } = {}) {
      const environment = new MockActivityEnvironment(
        {
          attempt,
          heartbeatDetails: earlier,
          workflowExecution: { workflowId: request.remediation.id, runId },
        },
        // Each failure that a test is about would be logged as a warning.
        { logger: new DefaultLogger('ERROR') },
      );
      const heartbeats: SpawnDetails[] = [];
      environment.on('heartbeat', (details: SpawnDetails) => heartbeats.push(structuredClone(details)));
      return { answer: environment.run(activity, request), heartbeats, environment };
    },
    endAgent: (request) => new MockActivityEnvironment().run(makeEndFallbackAgent(world), request),
    async failure(request, info) {
      const error: unknown = await bench.spawn(request, info).answer.then(
        (answer) => {
          throw new Error(`it did not fail: ${JSON.stringify(answer)}`);
        },
        (reason: unknown) => reason,
      );
      if (!(error instanceof ApplicationFailure)) throw error;
      const { type, message, nonRetryable, nextRetryDelay, details } = error;
      return {
        type,
        message,
        isFinal: nonRetryable === true,
        retryAfterMs: nextRetryDelay,
        details: details?.[0] as SpawnDetails,
      };
    },
  };
  return bench;
}

export interface AskedOfAgent {
  plan?: Partial<SpawnPlan>;
  event?: Partial<MeshEvent>;
  remediation?: Partial<RemediationInput>;
  request?: Partial<SpawnRequest>;
}

export function aSpawnRequest({ plan, event, remediation, request }: AskedOfAgent = {}): SpawnRequest {
  const whole: SpawnPlan = {
    type: 'spawn_fallback_agent',
    name: 'agent',
    effectKey: 'remediation/default/r/event-1/agent',
    timeoutMs: 20_000,
    retry: { maxAttempts: 3, initialIntervalMs: 1, maxIntervalMs: 1 },
    await: 'launched',
    ...plan,
  };
  return {
    plan: whole,
    remediation: {
      id: 'remediation/default/r/event-1',
      rule: 'r',
      rulesetHash: 'h',
      firedAt: 0,
      event: anEvent(event),
      actions: [whole],
      ...remediation,
    },
    soFar: [],
    pending: [],
    launcher: 'default',
    isFallback: false,
    startedAt: STARTED_AT,
    ...request,
  };
}
