import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { join } from 'node:path';
import { makeWarmRemoteCapacity } from '#activities/actions/warm-remote-capacity/activity.js';
import { hashTarget } from '#activities/actions/warm-remote-capacity/open-target.js';
import {
  makeReacquireCapacity,
  makeReleaseCapacity,
} from '#activities/actions/warm-remote-capacity/lease-activities.js';
import { createOutbound, type Outbound } from '#adapters/http/create-outbound.js';
import type { World } from '#activities/world.js';
import { parseMeshConfig } from '#config/mesh-config.js';
import type { ActionReport, LeaseActivities } from '#contract/activities.js';
import type { WarmPlan } from '#contract/actions/warm-remote-capacity/schema.js';
import type { RemediationInput } from '#contract/remediation.js';
import type { Lease } from '#contract/lease.js';
import { anEvent } from './builders.js';
import { tempFolder } from './temp-folder.js';

export interface CapacityWorldOptions {
  config: unknown;
  env?: Record<string, string>;
  outbound?: Outbound;
  /** Instead of only noting the lease. */
  keepLease?(lease: Lease): Promise<void>;
  /** Whether the remediation was aborted; if it is not given, it was not. */
  isCancelRequested?: World['workflows']['isCancelRequested'];
}

export interface Running {
  report: Promise<ActionReport>;
  cancel(): void;
}

export interface CapacityWorld {
  /** Where files named in the configuration are. */
  folder: string;
  leases: Lease[];
  /** A lease on the target of this configuration, if it has one. */
  aLease(overrides?: Partial<Lease>): Lease;
  warm(plan?: Partial<WarmPlan>): Promise<ActionReport>;
  startWarming(plan?: Partial<WarmPlan>): Running;
  release(lease: Lease): Promise<ActionReport>;
  startReleasing(lease: Lease): Running;
  reacquire(lease: Lease): ReturnType<LeaseActivities['reacquireCapacity']>;
}

/** The activities of remote capacity, as a worker would run them: real HTTP, and leases that are only noted. */
export function capacityWorld({
  config,
  env = {},
  outbound,
  keepLease,
  isCancelRequested = async () => false,
}: CapacityWorldOptions): CapacityWorld {
  const folder = tempFolder();
  const leases: Lease[] = [];
  const ports = {
    config: { get: () => Promise.resolve(currentConfig(config, folder)) },
    env,
    outbound: outbound ?? createOutbound(),
    redactKeys: [],
    workflows: { keepLease: keepLease ?? noteLease, isCancelRequested } as World['workflows'],
  };

  async function noteLease(lease: Lease): Promise<void> {
    leases.push(lease);
  }

  function startWarming(plan: Partial<WarmPlan> = {}): Running {
    const environment = new MockActivityEnvironment({ scheduledTimestampMs: Date.now() }, QUIET);
    return {
      report: environment.run(makeWarmRemoteCapacity(ports), { ...requestOf(plan), soFar: [], pending: [] }),
      cancel: () => environment.cancel(),
    };
  }

  function aLease(overrides: Partial<Lease> = {}): Lease {
    const { bridge } = currentConfig(config, folder).value;
    const lease = { tenant: 'default', environment: 'env-1', ensure: 1, untilAt: 0, effectKey: 'k' };
    return { ...lease, targetHash: bridge ? hashTarget(bridge) : 'none', ...overrides };
  }

  function startReleasing(lease: Lease): Running {
    const environment = new MockActivityEnvironment({}, QUIET);
    return { report: environment.run(makeReleaseCapacity(ports), lease), cancel: () => environment.cancel() };
  }

  return {
    folder,
    leases,
    aLease,
    startWarming,
    warm: (plan) => startWarming(plan).report,
    startReleasing,
    release: (lease) => startReleasing(lease).report,
    reacquire: (lease) => new MockActivityEnvironment({}, QUIET).run(makeReacquireCapacity(ports), lease),
  };
}

type CurrentConfig = Awaited<ReturnType<World['config']['get']>>;

/** Failures are what these tests are about. */
const QUIET = { logger: new DefaultLogger('ERROR') };

function currentConfig(config: unknown, folder: string): Extract<CurrentConfig, { available: true }> {
  const parsed = parseMeshConfig(JSON.stringify(config), join(folder, 'mesh.yaml'));
  if (!parsed.ok) throw new Error(`the configuration of this test is not valid: ${JSON.stringify(parsed.problems)}`);
  return { available: true, value: parsed.value, hash: 'abc', problems: [] };
}

function requestOf(overrides: Partial<WarmPlan>) {
  const plan: WarmPlan = {
    type: 'warm_remote_capacity',
    name: 'warm',
    effectKey: 'remediation/default/r/event-1/warm',
    timeoutMs: 10_000,
    retry: { maxAttempts: 1, initialIntervalMs: 1, maxIntervalMs: 1 },
    ensure: 1,
    forMs: 900_000,
    ...overrides,
  };
  const id = 'remediation/default/r/event-1';
  const remediation = { id, rule: 'r', rulesetHash: 'abc', firedAt: 0, event: anEvent(), actions: [plan] };
  // What is undefined is gone, as on the way through Temporal.
  return JSON.parse(JSON.stringify({ plan, remediation })) as { plan: WarmPlan; remediation: RemediationInput };
}
