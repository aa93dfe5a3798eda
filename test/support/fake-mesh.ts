import { setTimeout as wait } from 'node:timers/promises';
import { MeshError, NotStoredError } from '#client/errors.js';
import type { Mesh } from '#client/mesh.js';
import { storyOf } from '#contract/story.js';
import type { RemediationDetail } from '#contract/views/remediation.js';
import type { RemediationFilter } from '#client/filters.js';
import type { MeshEvent } from '#contract/event.js';
import { parseRemediationId, watchId } from '#contract/ids.js';
import type { Judgement } from '#contract/views/verdicts.js';
import type { WatchStatus } from '#contract/watch.js';
import { anEvent } from './builders.js';
import { eventually } from './eventually.js';

/** A mesh in memory, behind the interface of the SDK: for what does not depend on what Temporal does. */
export interface FakeMesh extends Mesh {
  stored: MeshEvent[];
  /** Every call that changes something, such as `abort remediation/t/r/e`. */
  calls: string[];
  judgements: Map<string, Judgement>;
  details: Map<string, RemediationDetail>;
  filters: RemediationFilter[];
  /** What every call throws from now on, until it is undefined again. */
  failure: Error | undefined;
  /** How long storing takes. */
  storeMs: number;
  /** How often storing was asked for. */
  sends: number;
  isReachable: boolean;
  workers: number;
  hasWatch: boolean;
  isClosed: boolean;
}

export function createFakeMesh(): FakeMesh {
  const fake: FakeMesh = {
    stored: [],
    calls: [],
    judgements: new Map(),
    details: new Map(),
    filters: [],
    failure: undefined,
    storeMs: 0,
    sends: 0,
    isReachable: true,
    workers: 1,
    hasWatch: true,
    isClosed: false,
    report: () => Promise.reject(new Error('the gateway parses events itself')),
    async send(events) {
      fake.sends += 1;
      if (fake.isClosed) throw new NotStoredError('closed', idsOf(events), []);
      if (fake.storeMs > 0) await wait(fake.storeMs);
      fail();
      fake.stored.push(...events);
      return { ids: idsOf(events), watches: [...new Set(events.map(({ tenant }) => watchId(tenant)))] };
    },
    async tenants() {
      return [];
    },
    async status(tenant = 'default') {
      requireWatch(tenant);
      return aStatus(tenant);
    },
    async verdicts() {
      return [];
    },
    async judgement(eventId, tenant = 'default') {
      requireWatch(tenant);
      return fake.judgements.get(`${tenant} ${eventId}`) ?? { state: 'unknown', verdicts: [] };
    },
    async remediations(filter = {}) {
      fail();
      fake.filters.push(filter);
      return {
        remediations: [...fake.details.values()].filter(({ tenant }) => tenant === filter.tenant).map(summaryOf),
      };
    },
    async dead() {
      fail();
      return { dead: [] };
    },
    async leases() {
      fail();
      return { leases: [], more: false };
    },
    async remediation(id) {
      return found(id);
    },
    async abort(id) {
      if (found(id).outcome !== 'running') throw new MeshError('conflict', `${id} has ended already`);
      fake.calls.push(`abort ${id}`);
    },
    async retry(id) {
      if (found(id).outcome !== 'failed') throw new MeshError('conflict', `no action of ${id} has failed`);
      fake.calls.push(`retry ${id}`);
      return { runId: 'run-2', actions: ['tell'] };
    },
    async rearm(tenant, rule) {
      requireWatch(tenant ?? '');
      fake.calls.push(`rearm ${tenant} ${rule}`);
    },
    async pause(tenant, reason) {
      fail();
      fake.calls.push(`pause ${tenant} ${reason}`);
    },
    async resume(tenant) {
      requireWatch(tenant ?? '');
      fake.calls.push(`resume ${tenant}`);
    },
    async health() {
      return { isReachable: fake.isReachable, workers: fake.workers };
    },
    waiting: () => ({ events: 0, bytes: 0 }),
    async close() {
      fake.isClosed = true;
    },
  };
  return fake;

  function fail(): void {
    if (fake.failure !== undefined) throw fake.failure;
  }

  function requireWatch(tenant: string): void {
    fail();
    if (!fake.hasWatch) throw new MeshError('not-found', `tenant ${tenant} has no watch`);
  }

  function found(id: string): RemediationDetail {
    fail();
    const detail = fake.details.get(id);
    if (!detail) throw new MeshError('not-found', `there is no remediation ${id}`);
    return detail;
  }
}

/** Nobody hears that an event is stored before the test says so. */
export function holdStoring(mesh: FakeMesh): { isAsked(times: number): Promise<true>; goOn(): void } {
  let goOn: () => void = () => undefined;
  const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
  const { send } = mesh;
  mesh.send = async (events) => {
    const stored = send(events);
    await mayGoOn;
    return stored;
  };
  const isAsked = (times: number) => eventually('requests that wait', () => (mesh.sends === times ? true : undefined));
  return { goOn, isAsked };
}

/** A remediation by its id; a test names only what it is about. */
export function aRemediation(id: string, overrides: Partial<RemediationDetail> = {}): RemediationDetail {
  const { tenant = '', rule = '', eventId = '' } = parseRemediationId(id) ?? {};
  const detail = {
    ...{ id, runId: 'run-1', tenant, rule, eventId, outcome: 'running' as const, startedAt: 1 },
    reported: anEvent({ id: eventId, tenant }),
    actions: [],
    rulesetHash: 'abc',
    ...overrides,
  };
  return withStory(detail);
}

/** With the story that the rest of it tells. */
export function withStory(detail: Omit<RemediationDetail, 'story'>): RemediationDetail {
  const { actions, progress, ...known } = detail;
  return { ...detail, story: storyOf({ ...known, remediation: { actions }, actions: progress?.actions }) };
}

function summaryOf({
  reported: _r,
  actions: _a,
  rulesetHash: _h,
  progress: _p,
  story: _s,
  ...summary
}: RemediationDetail) {
  return summary;
}

function idsOf(events: readonly MeshEvent[]): string[] {
  return events.map(({ id }) => id);
}

function aStatus(tenant: string): WatchStatus {
  return {
    tenant,
    paused: null,
    ruleset: { hash: 'abc', source: 'rules.yaml', problems: [] },
    configTrouble: { source: 'mesh.yaml', problems: ['p'], hasGoodVersion: true, sinceAt: 1, seenAt: 2 },
    held: null,
    counters: { events: 1, fired: 1, skipped: { duplicate: 1 }, rules: { 'a-rule': { fired: 1, skipped: {} } } },
    guards: { cooldowns: [], dedups: [], live: { cooldowns: 0, dedups: 0 }, evicted: 0, seenIds: 1 },
    chains: [],
    history: { events: 10, runs: 1 },
  };
}
