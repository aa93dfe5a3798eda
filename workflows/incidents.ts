import type { MeshEvent } from '../contract/event.js';
import { resolveId } from '../contract/ids.js';
import type { OpenIncident } from '../contract/notification.js';
import { hashId } from '../rules/guards/seen.js';
import { listIn, numberIn, textIn, textsIn } from './read-argument.js';
import type { WatchState } from './watch-state.js';

export const INCIDENT_LIFE_MS = 7 * 86_400_000;
const MAX_INCIDENTS = 500;

/** A success from before the incident, which came late, ends nothing. The clocks of two machines may differ by this much. */
const CLOCKS_DIFFER_MS = 60_000;

/** Takes the signal by which deliveries tell of incidents they opened. Returns what was wrong with it. */
export function openIncidents(state: WatchState, argument: unknown, now: number): string | undefined {
  const told = listIn(argument).map((written) => readIncident(written, state.tenant, now));
  const opened = told.filter((incident) => incident !== undefined);
  const isOpened = (one: OpenIncident) => opened.some((other) => identity(other) === identity(one));
  state.incidents = [...state.incidents.filter((one) => !isOpened(one)), ...opened].slice(-MAX_INCIDENTS);
  return told.length > 0 && opened.length === told.length ? undefined : EXPECTED;
}

const EXPECTED =
  'expected a list of incidents {"tenant": "…", "rule": "…", "team": "…", "channel": "…", "key": "…", "resolveOn": ["task"]}';

export interface Success {
  event: MeshEvent;
  /** The first event of its chain. */
  root: string;
  works: { task?: string; tool?: string };
}

/** Ends the incidents that a success is about: the same task or tool, in the same session or chain. Each is told once. */
export function resolveIncidents(state: WatchState, success: Success, now: number): void {
  const { event } = success;
  const resolved = state.incidents.filter((incident) => isAbout(incident, success));
  if (resolved.length === 0) return;
  state.incidents = state.incidents.filter((incident) => !resolved.includes(incident));
  for (const incident of resolved) {
    const { rule, openedAt } = incident;
    const id = resolveId(state.tenant, rule, hashId(identity(incident)), openedAt);
    const by = { event: event.event, eventId: event.id };
    state.notices.push({ kind: 'resolve', id, tenant: state.tenant, rule, at: now, incident, by });
  }
}

export function pruneIncidents(state: WatchState, now: number): void {
  state.incidents = state.incidents.filter(({ openedAt }) => now - openedAt < INCIDENT_LIFE_MS);
}

function isAbout(incident: OpenIncident, { event, root, works }: Success): boolean {
  const { resolveOn, openedAt, session } = incident;
  const isSame = resolveOn.some((what) => incident[what] !== undefined && incident[what] === works[what]);
  const isNear = incident.root === root || (session !== undefined && session === event.session);
  return isSame && isNear && event.occurredAt >= openedAt - CLOCKS_DIFFER_MS;
}

/** By which a receiver knows it. */
function identity({ team, channel, key }: OpenIncident): string {
  return JSON.stringify([team, channel, key]);
}

function readIncident(written: unknown, tenant: string, now: number): OpenIncident | undefined {
  const [rule, team, channel, key] = ['rule', 'team', 'channel', 'key'].map((name) => textIn(written, name));
  const resolveOn = (['task', 'tool'] as const).filter((what) => textsIn(written, 'resolveOn').includes(what));
  if (textIn(written, 'tenant') !== tenant || resolveOn.length === 0) return undefined;
  if (rule === undefined || team === undefined || channel === undefined || key === undefined) return undefined;
  const named = ['session', 'task', 'tool'].flatMap((name) => {
    const text = textIn(written, name);
    return text === undefined ? [] : [[name, text] as const];
  });
  return {
    tenant,
    rule,
    team,
    channel,
    key,
    resolveOn,
    remediation: textIn(written, 'remediation') ?? '',
    root: textIn(written, 'root') ?? '',
    ...Object.fromEntries(named),
    // A clock that is ahead must not keep an incident open for longer.
    openedAt: Math.min(numberIn(written, 'openedAt') ?? now, now),
  };
}
