import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { patientQueries } from '#adapters/temporal/patient-queries.js';
import { within } from '#adapters/temporal/within.js';
import { type MeshEvent, TENANT } from '#contract/event.js';
import { formatProblem } from '#contract/text/problem.js';
import { createRedactor, type RedactOptions } from '#contract/text/redact/redact.js';
import { type Environment, readSettings } from '#contract/settings.js';
import type { Judgement, LoggedVerdict } from '#contract/views/verdicts.js';
import type { JudgementQuery, PauseRequest, RearmRequest, VerdictsQuery, WatchStatus } from '#contract/watch.js';
import { connectionOptions, type ConnectionSettings, readConnection } from './connection.js';
import { MeshError, WrongEventError } from './errors.js';
import type { EventInput } from './event-input.js';
import { type MeshHealth, readHealth } from './mesh-health.js';
import type { DeadFilter, RemediationFilter } from './filters.js';
import type { DeadPage } from '#contract/views/dead.js';
import type { LeasePage } from '#contract/views/lease.js';
import type { RemediationDetail, RemediationPage, Retried } from '#contract/views/remediation.js';
import { watchId } from '#contract/ids.js';
import { DEFAULT_TENANT, QUERIES, SIGNALS, TASK_QUEUE } from '#contract/names.js';
import { createCalls } from './calls.js';
import { createLanes } from './lanes.js';
import { lineageDefaults } from './lineage-defaults.js';
import { parseEvents } from './parse-events.js';
import { createRemediations } from './remediations.js';
import { listTenants } from './list-tenants.js';
import { createSender } from './sender.js';
import { explainCall, explainQuery } from './temporal-errors.js';

export * from './errors.js';
export type { ConnectionSettings } from './connection.js';
export type { EventInput } from './event-input.js';
export type { MeshHealth } from './mesh-health.js';
export type * from './filters.js';
export type * from '#contract/views/dead.js';
export type * from '#contract/views/lease.js';
export type * from '#contract/views/actions.js';
export type * from '#contract/views/remediation.js';
export type * from '#contract/views/story.js';
export type { MeshEvent } from '#contract/event.js';
export type { ActionPlan } from '#contract/actions/index.js';
export type { Environment } from '#contract/settings.js';
export type { Problem } from '#contract/text/problem.js';
export type { RedactOptions } from '#contract/text/redact/redact.js';
export type { SkipCode } from '#contract/verdict.js';
export type { Judgement, LoggedVerdict, MissedRule, Verdict } from '#contract/views/verdicts.js';
export type { WatchStatus } from '#contract/watch.js';

export interface MeshOptions {
  /** Default: the process's environment (`TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`, …). */
  env?: Environment;
  connection?: ConnectionSettings;
  taskQueue?: string;
  /** Names the reporter in every event that does not name one itself. Default: `sdk`. */
  source?: string;
  /** How long a report is tried while the server does not take it, in milliseconds. Default: 15,000. */
  giveUpAfterMs?: number;
  /** What is secret in payloads, beyond what is known to be: taken out before anything leaves this process. */
  redact?: RedactOptions;
  /**
   * The events are of others, such as what a spool holds: this process's own place in a chain (`MESH_LINEAGE`) is not theirs.
   * Else what an agent of the mesh reports belongs to its chain.
   */
  isForOthers?: boolean;
  /** Connect with the first call instead of now: for a process that must start without a server. */
  isLazy?: boolean;
}

export interface Reported {
  /** One id per event, in order. */
  ids: string[];
  /** The watches that took them. */
  watches: string[];
}

export interface Mesh {
  /**
   * Resolves once Temporal has stored the events. Nothing is stored if one of them is not valid (`WrongEventError`); when
   * they cannot be stored in time, a `NotStoredError` names those that are not. Whether an event was a copy of an earlier
   * one is the watch's verdict: see `verdicts`.
   *
   * @example
   * const { ids } = await mesh.report({ event: 'TaskCompleted', outcome: 'failed', payload: { task_subject: 'Build' } });
   */
  report(events: EventInput | readonly EventInput[]): Promise<Reported>;
  /** Takes events that were parsed already. */
  send(events: readonly MeshEvent[]): Promise<Reported>;
  /** Tenants that events were reported of and that have something to remember, up to 1,000. No worker is needed. */
  tenants(): Promise<string[]>;
  /** Counters, armed windows, rules in use, pause. */
  status(tenant?: string): Promise<WatchStatus>;
  /** The verdicts on one event, or the last ones of the tenant. */
  verdicts(eventId?: string, tenant?: string): Promise<LoggedVerdict[]>;
  /** The verdicts on one event, or why there are none. */
  judgement(eventId: string, tenant?: string): Promise<Judgement>;
  /**
   * Lists remediations: those that run, the newest first; then those that ended, the last to end first. One that ends
   * while the pages are read may be on two of them.
   *
   * @example
   * const { remediations } = await mesh.remediations({ outcome: 'failed', rule: 'retry-failed-tool' });
   */
  remediations(filter?: RemediationFilter): Promise<RemediationPage>;
  /**
   * Lists what gave up, with why: remediations that failed, and messages of the mesh itself that did not reach everyone. No
   * worker is needed.
   */
  dead(filter?: DeadFilter): Promise<DeadPage>;
  /** Lists capacity that is kept warm, each lease with the tenant that asked first. No worker is needed. */
  leases(tenant?: string): Promise<LeasePage>;
  /** One remediation, whole, by its workflow id. */
  remediation(id: string): Promise<RemediationDetail>;
  /** Ends a running remediation: what runs is ended, what waits is not started. */
  abort(id: string): Promise<void>;
  /**
   * Runs the failed actions of a failed remediation again, with the same effect keys; what was done stays done. Takes a message
   * of the mesh itself too, as `dead` lists it: those who have not got it are told.
   */
  retry(id: string): Promise<Retried>;
  /** Ends the cooldown and dedup windows of a rule, or of all rules, now. */
  rearm(tenant?: string, rule?: string): Promise<void>;
  /** Kill switch: every event is skipped as `paused` until `resume`. */
  pause(tenant?: string, reason?: string): Promise<void>;
  resume(tenant?: string): Promise<void>;
  /** Whether Temporal answers, and how many workers ask it for work. */
  health(): Promise<MeshHealth>;
  /** What this process has not sent yet. */
  waiting(): { events: number; bytes: number };
  /** Gives what is on its way a few seconds to be stored, and disconnects. */
  close(): Promise<void>;
}

const GIVE_UP_AFTER_MS = 15_000;
const CLOSE_WITHIN_MS = 4_000;
/** For everything that is asked rather than stored: someone waits for the answer. */
const ANSWER_WITHIN_MS = 10_000;

/**
 * Connects to the mesh.
 *
 * @example
 * const mesh = await connectMesh();
 * await mesh.report({ event: 'PostToolUseFailure', outcome: 'failed', payload: { tool_name: 'Bash', error: 'timeout' } });
 * await mesh.close();
 */
export async function connectMesh(options: MeshOptions = {}): Promise<Mesh> {
  const env = options.env ?? process.env;
  const { settings } = readSettings(env);
  const where = options.connection ?? readConnection(settings, env);
  const redactor = createRedactor({
    keys: [...settings.redactKeys, ...(options.redact?.keys ?? [])],
    patterns: options.redact?.patterns ?? [],
  });
  const place = options.isForOthers ? {} : lineageDefaults(env);
  const calls = createCalls(() => connection);
  const pending = new Set<Promise<unknown>>();
  const connection: Connection = Connection.lazy(connectionOptions(where, () => calls.isOver()));
  if (!options.isLazy) await connection.ensureConnected();
  const client = new Client({ connection, namespace: where.namespace, interceptors: { workflow: [patientQueries()] } });
  const taskQueue = options.taskQueue ?? TASK_QUEUE;
  const sender = createSender(client, taskQueue, calls);
  const lanes = createLanes({ ...sender, giveUpAfterMs: options.giveUpAfterMs ?? GIVE_UP_AFTER_MS });
  const remediations = createRemediations(client);
  const handle = (tenant: string) => client.workflow.getHandle(watchId(tenant));

  return {
    report: async (events) => send(parsed(events)),
    send,
    tenants: () => call(undefined, () => listTenants(client)),
    status: (tenant = DEFAULT_TENANT) => query(tenant, () => handle(tenant).query<WatchStatus>(QUERIES.status)),
    verdicts: (eventId, tenant = DEFAULT_TENANT) => {
      const about: VerdictsQuery = eventId === undefined ? {} : { eventId };
      return query(tenant, () => handle(tenant).query<LoggedVerdict[], [VerdictsQuery]>(QUERIES.verdicts, about));
    },
    judgement: (eventId, tenant = DEFAULT_TENANT) =>
      query(tenant, () => handle(tenant).query<Judgement, [JudgementQuery]>(QUERIES.judgement, { eventId })),
    remediations: (filter = {}) => call(undefined, () => remediations.list(filter)),
    dead: (filter = {}) => call(undefined, () => remediations.dead(filter)),
    leases: (tenant = DEFAULT_TENANT) => call(undefined, () => remediations.leases(tenant)),
    remediation: (id) => call(undefined, () => remediations.get(id)),
    abort: (id) => call(undefined, () => remediations.abort(id)),
    retry: (id) => call(undefined, () => remediations.retry(id)),
    rearm: (tenant = DEFAULT_TENANT, rule) =>
      call(missing(tenant), () =>
        handle(tenant).signal(SIGNALS.rearm, (rule === undefined ? {} : { rule }) satisfies RearmRequest),
      ),
    // Pausing must work before the first event too, so it starts the watch if there is none.
    pause: (tenant = DEFAULT_TENANT, reason) =>
      call(undefined, () =>
        sender.signal(
          requireTenant(tenant),
          SIGNALS.pause,
          (reason === undefined ? {} : { reason }) satisfies PauseRequest,
        ),
      ),
    resume: (tenant = DEFAULT_TENANT) => call(missing(tenant), () => handle(tenant).signal(SIGNALS.resume)),
    health: () => track(readHealth(client, taskQueue)),
    waiting: () => lanes.waiting(),
    async close() {
      // What is on its way gets its time; a server that does not answer must not keep a process from ending.
      await within(CLOSE_WITHIN_MS, Promise.allSettled([lanes.close(), ...pending]));
      calls.abort();
      // A call that was about to be retried when its connection closed would bring down the whole process.
      await Promise.allSettled(pending);
      await connection.close();
    },
  };

  async function send(events: readonly MeshEvent[]): Promise<Reported> {
    await track(lanes.put(events));
    return { ids: events.map(({ id }) => id), watches: [...new Set(events.map(({ tenant }) => watchId(tenant)))] };
  }

  function parsed(given: EventInput | readonly EventInput[]): MeshEvent[] {
    const defaults = { now: Date.now(), makeId: randomUUID, source: options.source ?? 'sdk', ...place };
    const result = parseEvents(given, defaults, redactor);
    if (!result.ok) throw new WrongEventError(result.problems.map(formatProblem).join('; '), result.problems);
    return result.events;
  }

  /** What the watch of a tenant knows, which a worker answers. */
  async function query<T>(tenant: string, run: () => Promise<T>): Promise<T> {
    try {
      return await tracked(run);
    } catch (error) {
      const isReachable = async () => (await readHealth(client, taskQueue)).isReachable;
      throw await explainQuery(error, missing(tenant), isReachable);
    }
  }

  async function call<T>(notFound: string | undefined, run: () => Promise<T>): Promise<T> {
    try {
      return await tracked(run);
    } catch (error) {
      throw explainCall(error, notFound);
    }
  }

  function tracked<T>(run: () => Promise<T>): Promise<T> {
    return track(calls.run(Date.now() + ANSWER_WITHIN_MS, run));
  }

  function track<T>(started: Promise<T>): Promise<T> {
    pending.add(started);
    const done = () => pending.delete(started);
    started.then(done, done);
    return started;
  }
}

function missing(tenant: string): string {
  return `tenant ${tenant} has no watch: no event of it was ever reported here`;
}

/** A signal would start a watch of any name, which no event could ever reach. */
function requireTenant(tenant: string): string {
  if (TENANT.test(tenant)) return tenant;
  throw new MeshError('wrong-argument', `${JSON.stringify(tenant)} is not a tenant name`);
}
