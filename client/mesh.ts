import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { MeshEvent } from '../contract/event.js';
import { watchId } from '../contract/ids.js';
import { DEFAULT_TENANT, QUERIES, SEARCH_ATTRIBUTES, SIGNALS, TASK_QUEUE, WORKFLOW_TYPES } from '../contract/names.js';
import { formatProblem } from '../contract/problem.js';
import { type Environment, readSettings } from '../contract/settings.js';
import type { LoggedVerdict } from '../contract/verdict.js';
import type { PauseRequest, RearmRequest, VerdictsQuery, WatchInput, WatchStatus } from '../contract/watch.js';
import { splitIntoBatches } from './batches.js';
import { CONNECT_TIMEOUT_MS, type ConnectionSettings, quickRetries, readConnection } from './connection.js';
import { type EventInput, parseEvent } from './parse-event.js';
import { WatchFullError, WrongEventError } from './errors.js';

export type { EventInput } from './parse-event.js';
export type { LoggedVerdict, SkipCode, Verdict } from '../contract/verdict.js';
export type { WatchStatus } from '../contract/watch.js';
export { WatchFullError, WrongEventError } from './errors.js';

export interface MeshOptions {
  /** Default: the process's environment (`TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`, …). */
  env?: Environment;
  connection?: ConnectionSettings;
  taskQueue?: string;
  /** Names the reporter in every event that does not name one itself. */
  source?: string;
}

export interface Reported {
  /** One id per event, in order. */
  ids: string[];
  /** The watches that took them. */
  watches: string[];
}

export interface Mesh {
  /** Resolves once Temporal has stored the events. Nothing is stored if one of them is not valid. */
  report(events: EventInput | readonly EventInput[]): Promise<Reported>;
  /** Takes events that were parsed already. */
  send(events: readonly MeshEvent[]): Promise<Reported>;
  status(tenant?: string): Promise<WatchStatus>;
  /** The last verdicts of a tenant, or those about one event. */
  verdicts(tenant?: string, eventId?: string): Promise<LoggedVerdict[]>;
  rearm(tenant?: string, rule?: string): Promise<void>;
  pause(tenant?: string, reason?: string): Promise<void>;
  resume(tenant?: string): Promise<void>;
  close(): Promise<void>;
}

/** How long a report is tried when the server does not answer. */
const GIVE_UP_AFTER_MS = 15_000;
/** Shorter, and signals keep slipping in while the watch continues as new: each time it starts over, and stalls. */
const BATCH_GAP_MS = 40;

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
  const settings = options.connection ?? readConnection(readSettings(env).settings, env);
  let isClosing = false;
  const pending = new Set<Promise<unknown>>();
  const connection = await Connection.connect({
    address: settings.address,
    ...settings.options,
    connectTimeout: CONNECT_TIMEOUT_MS,
    interceptors: [quickRetries(() => isClosing)],
  });
  const client = new Client({ connection, namespace: settings.namespace });
  const taskQueue = options.taskQueue ?? TASK_QUEUE;
  const roomOf = new Map<string, number>();
  const sentAt = new Map<string, number>();
  const progressAt = new Map<string, number>();
  const lanes = new Map<string, Promise<unknown>>();
  const handle = (tenant: string) => client.workflow.getHandle(watchId(tenant));

  return {
    async report(events) {
      const inputs = Array.isArray(events) ? (events as readonly EventInput[]) : [events as EventInput];
      return send(inputs.map((input, index) => parseOrThrow(input, index, inputs.length)));
    },
    send,
    status: (tenant = DEFAULT_TENANT) => track(handle(tenant).query<WatchStatus>(QUERIES.status)),
    verdicts: (tenant = DEFAULT_TENANT, eventId) => {
      const query: VerdictsQuery = eventId === undefined ? {} : { eventId };
      return track(handle(tenant).query<LoggedVerdict[], [VerdictsQuery]>(QUERIES.verdicts, query));
    },
    rearm: (tenant = DEFAULT_TENANT, rule) =>
      track(handle(tenant).signal(SIGNALS.rearm, (rule === undefined ? {} : { rule }) satisfies RearmRequest)),
    // Pausing must work before the first event too, so it starts the watch if there is none.
    pause: (tenant = DEFAULT_TENANT, reason) =>
      track(signal(tenant, SIGNALS.pause, (reason === undefined ? {} : { reason }) satisfies PauseRequest)),
    resume: (tenant = DEFAULT_TENANT) => track(handle(tenant).signal(SIGNALS.resume)),
    async close() {
      isClosing = true;
      await Promise.allSettled(pending);
      await connection.close();
    },
  };

  /** A call that is about to be retried when its connection closes would bring down the whole process. */
  function track<T>(call: Promise<T>): Promise<T> {
    pending.add(call);
    const done = () => pending.delete(call);
    call.then(done, done);
    return call;
  }

  function parseOrThrow(input: EventInput, index: number, count: number): MeshEvent {
    const parsed = parseEvent(input, { now: Date.now(), makeId: randomUUID, source: options.source ?? 'sdk' });
    if (parsed.ok) return parsed.event;
    const place = count === 1 ? '' : `event ${index + 1}: `;
    throw new WrongEventError(
      parsed.problems.map((problem) => place + formatProblem(problem)).join('; '),
      parsed.problems,
    );
  }

  async function send(events: readonly MeshEvent[]): Promise<Reported> {
    const tenants = groupByTenant(events);
    const enqueuedAt = Date.now();
    await Promise.all(
      [...tenants].map(([tenant, ofTenant]) =>
        track(
          inLane(tenant, async () => {
            for (const batch of splitIntoBatches(ofTenant)) {
              await inTime(tenant, enqueuedAt, () => requireRoom(tenant, batch));
              await breathe(tenant);
              await inTime(tenant, enqueuedAt, () => signal(tenant, SIGNALS.events, batch));
              progressAt.set(tenant, Date.now());
            }
          }),
        ),
      ),
    );
    return { ids: events.map(({ id }) => id), watches: [...tenants.keys()].map(watchId) };
  }

  /** One batch in flight per tenant: a storm of signals would keep the watch from ever continuing as new. */
  function inLane(tenant: string, run: () => Promise<void>): Promise<void> {
    const done = (lanes.get(tenant) ?? Promise.resolve()).then(run);
    // The next one waits for this one to end, well or badly; whoever asked for this one hears of its failure.
    lanes.set(
      tenant,
      done.catch(() => undefined),
    );
    return done;
  }

  /** Gives up some time after the last thing that went well, so that a queue of reports fails together and not one by one. */
  function inTime<T>(tenant: string, enqueuedAt: number, run: () => Promise<T>): Promise<T> {
    const since = Math.max(enqueuedAt, progressAt.get(tenant) ?? 0);
    return connection.withDeadline(since + GIVE_UP_AFTER_MS, run);
  }

  /** The first batch goes at once; under load there is a gap before the next, in which the watch can continue as new. */
  async function breathe(tenant: string): Promise<void> {
    const waitMs = (sentAt.get(tenant) ?? -Infinity) + BATCH_GAP_MS - performance.now();
    if (waitMs > 0) await wait(waitMs);
    sentAt.set(tenant, performance.now());
  }

  async function signal(tenant: string, name: string, argument: unknown): Promise<void> {
    await client.workflow.signalWithStart(WORKFLOW_TYPES.watch, {
      workflowId: watchId(tenant),
      taskQueue,
      args: [{ tenant } satisfies WatchInput],
      signal: name,
      signalArgs: [argument],
      staticSummary: `Watch of tenant ${tenant}: judges events, remembers guards, starts remediations`,
      typedSearchAttributes: [
        { key: defineSearchAttributeKey('MeshTenant', SEARCH_ATTRIBUTES.MeshTenant), value: tenant },
      ],
    });
  }

  /**
   * A watch that cannot judge, because no worker runs or its rules cannot be read, keeps what it is sent in its history.
   * Temporal ends a workflow whose history passes 50 MB, and everything in it would be lost, so the door closes before.
   */
  async function requireRoom(tenant: string, batch: readonly MeshEvent[]): Promise<void> {
    const bytes = Buffer.byteLength(JSON.stringify(batch));
    const room = (roomOf.get(tenant) ?? 0) - bytes;
    roomOf.set(tenant, room);
    if (room >= 0) return;
    const historyBytes = await client.workflow
      .getHandle(watchId(tenant))
      .describe()
      .then(
        ({ status, historySize }) => (status.name === 'RUNNING' ? (historySize ?? 0) : 0),
        (error: unknown) => {
          if (error instanceof WorkflowNotFoundError) return 0;
          throw error;
        },
      );
    if (historyBytes > MAX_WAITING_BYTES) throw new WatchFullError(tenant, historyBytes);
    roomOf.set(tenant, UNCHECKED_BYTES - bytes);
  }
}

/** Far enough below Temporal's 50 MB that several reporters at once do not overshoot it between two looks. */
const MAX_WAITING_BYTES = 30_000_000;
/** How much is sent between two looks at the size of the history. */
const UNCHECKED_BYTES = 2_000_000;

function groupByTenant(events: readonly MeshEvent[]): Map<string, MeshEvent[]> {
  const groups = new Map<string, MeshEvent[]>();
  for (const event of events) {
    const group = groups.get(event.tenant);
    if (group) group.push(event);
    else groups.set(event.tenant, [event]);
  }
  return groups;
}
