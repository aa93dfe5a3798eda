import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger } from '@temporalio/worker';
import { makeSpawnFallbackAgent } from '../../activities/actions/spawn-fallback-agent/activity.js';
import { createOutbound } from '../../activities/adapters/outbound/create-outbound.js';
import type { World } from '../../activities/world.js';
import { parseMeshConfig } from '../../config/mesh-config.js';
import type { SpawnPlan } from '../../contract/actions/spawn-fallback-agent/schema.js';
import type { AttemptDetails, SpawnAnswer, SpawnRequest } from '../../contract/activities.js';
import type { MeshEvent } from '../../contract/event.js';
import type { AgentNews, RemediationInput } from '../../contract/remediation.js';
import type { KnownAgent } from '../../contract/watch.js';
import { anEvent } from './builders.js';

export const LINEAGE_KEY = 'the key of these tests';

export interface SpawnSetup {
  agents: Record<string, unknown>;
  /** Where the configuration file would be. */
  folder: string;
  env?: Record<string, string>;
  redact?: { keys?: string[]; patterns?: string[] };
  privateHosts?: string[];
  agentWorkflows?: World['agentWorkflows'];
  /** Before what it is told is written down. */
  tellWatch?(): Promise<unknown>;
  tellRemediation?: World['workflows']['tellRemediation'];
}

export interface SpawnBench {
  /** What the watch and the remediation were told, in order. */
  known: KnownAgent[];
  news: { remediation: string; news: AgentNews }[];
  spawn(request: SpawnRequest, info?: { attempt?: number; runId?: string }): SpawnRun;
  /** One that goes wrong: how. */
  failure(request: SpawnRequest, info?: { attempt?: number }): Promise<SpawnFailure>;
}

export interface SpawnRun {
  answer: Promise<SpawnAnswer>;
  heartbeats: AttemptDetails[];
  environment: MockActivityEnvironment;
}

export interface SpawnFailure {
  type: string | null | undefined;
  message: string;
  isFinal: boolean;
  retryAfterMs: unknown;
  details: AttemptDetails;
}

/** The activity as a worker has it, with real processes and requests; only what it tells other workflows is written down. */
export function createSpawnBench(setup: SpawnSetup): SpawnBench {
  const { agents, folder, redact = {}, privateHosts = ['127.0.0.1'] } = setup;
  const config = parseMeshConfig(
    JSON.stringify({ agents, redact, outbound: { privateHosts } }),
    join(folder, 'mesh.yaml'),
  );
  if (!config.ok) throw new Error(`the configuration of this test is not valid: ${JSON.stringify(config.problems)}`);
  // Test files run at the same time, and one must not take the agents of another for its own.
  const ownRun = randomUUID();
  const scheduledAt = Date.now();
  const known: KnownAgent[] = [];
  const news: SpawnBench['news'] = [];
  const unused = () => Promise.reject(new Error('not a part of this'));
  const activity = makeSpawnFallbackAgent({
    config: { get: () => Promise.resolve({ available: true, value: config.value, hash: 'h', problems: [] }) },
    env: { PATH: process.env['PATH'], ...setup.env },
    redactKeys: [],
    lineageKey: LINEAGE_KEY,
    outbound: createOutbound(),
    agentWorkflows: setup.agentWorkflows ?? { start: unused, result: unused, cancel: unused },
    workflows: {
      startRemediation: unused,
      startNotice: unused,
      keepLease: unused,
      tellWatchOfIncident: unused,
      async tellWatchOfAgents(_tenant, agents) {
        await setup.tellWatch?.();
        known.push(...agents);
      },
      tellRemediation:
        setup.tellRemediation ??
        ((remediation, told) => Promise.resolve(void news.push({ remediation, news: structuredClone(told) }))),
    },
  });
  const bench: SpawnBench = {
    known,
    news,
    spawn(request, { attempt = 1, runId = ownRun } = {}) {
      const environment = new MockActivityEnvironment(
        {
          attempt,
          scheduledTimestampMs: scheduledAt,
          workflowExecution: { workflowId: request.remediation.id, runId },
        },
        // Each failure that a test is about would be logged as a warning.
        { logger: new DefaultLogger('ERROR') },
      );
      const heartbeats: AttemptDetails[] = [];
      environment.on('heartbeat', (details: AttemptDetails) => heartbeats.push(structuredClone(details)));
      return { answer: environment.run(activity, request), heartbeats, environment };
    },
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
        details: details?.[0] as AttemptDetails,
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
    ...request,
  };
}
