import type { MeshEvent } from '#contract/event.js';
import type { WrittenRule } from '../site/rules-on-disk.js';
import type { Evidence, FiredRemediation } from './evidence.js';
import type { VerdictRow } from './gathered.js';
import { grouped } from './grouped.js';

/**
 * A rule that fired for an event, or would have had it not been on trial: what arms windows. Known from the remediation that the
 * server has, from verdicts, or from both.
 */
export interface Firing {
  tenant: string;
  rule: string;
  eventId: string;
  /** When it was judged: the plan of the remediation says so as its verdict does. */
  at: number;
  /** The actions that fired, and so armed their dedup windows. */
  actions: readonly string[];
  /** Until when the remediation was told that its rule would rest. */
  cooldownUntilAt?: number;
  /** In the order of arrival at the watch; undefined: the event is in no history. */
  order: number | undefined;
  event: MeshEvent | undefined;
}

export function firingsIn(evidence: Evidence): Firing[] {
  const arrivals = firstArrivals(evidence);
  const remediations = new Map(evidence.remediations.map((one) => [keyOf(one), one]));
  const rows = grouped(evidence.gathered.rows().filter(isArming), keyOf);
  return [...new Set([...remediations.keys(), ...rows.keys()])]
    .map((key) => firingOf(remediations.get(key), rows.get(key) ?? [], arrivals))
    .filter((firing) => firing !== undefined)
    .sort((a, b) => a.at - b.at);
}

/** The first time each event came is what was judged. */
export function firstArrivals({ arrivals }: Evidence): Map<string, { order: number; event: MeshEvent }> {
  const first = new Map<string, { order: number; event: MeshEvent }>();
  for (const { order, event } of arrivals) if (event && !first.has(event.id)) first.set(event.id, { order, event });
  return first;
}

/** One that could not be started has armed its windows all the same. */
function isArming(row: VerdictRow): boolean {
  if (row.rule === undefined) return false;
  return row.verdict === 'fire' || row.code === 'shadow' || row.code === 'error';
}

function keyOf({ tenant, rule, eventId }: { tenant: string; rule?: string; eventId: string }): string {
  return JSON.stringify([tenant, rule, eventId]);
}

function firingOf(
  remediation: FiredRemediation | undefined,
  rows: readonly VerdictRow[],
  arrivals: ReadonlyMap<string, { order: number; event: MeshEvent }>,
): Firing | undefined {
  const named = remediation ?? rows[0];
  if (!named) return undefined;
  const { tenant, rule = '', eventId } = named;
  const input = remediation?.input;
  const arrived = arrivals.get(eventId);
  const planned = (input?.actions ?? []).filter(({ refused }) => refused === undefined).map(({ name }) => name);
  return {
    ...{ tenant, rule, eventId },
    at: input?.firedAt ?? Math.min(...rows.map(({ at }) => at)),
    actions: [...new Set([...planned, ...rows.flatMap(({ action }) => action ?? [])])],
    ...(input?.quiet && { cooldownUntilAt: input.quiet.cooldownUntilAt }),
    order: arrived?.order,
    event: arrived?.event ?? input?.event,
  };
}

/** Which cooldown of a rule is meant: firings with another key do not suppress each other. */
export function cooldownKeyOf(rule: WrittenRule, event: MeshEvent): string {
  return JSON.stringify([rule.id, ...(rule.cooldownBy ?? []).map((path) => valueAt(event, path))]);
}

/** What makes two events alike for the actions of a rule. */
export function likenessOf(rule: WrittenRule, event: MeshEvent): string {
  if (rule.dedupBy) return JSON.stringify(rule.dedupBy.map((path) => valueAt(event, path)));
  const { tool_use_id: _call, ...payload } = event.payload;
  const sorted = Object.entries(payload).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([event.event, event.outcome, event.session, sorted]);
}

function valueAt(event: MeshEvent, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], event as unknown);
}
