import { resolveId } from '#contract/ids.js';
import type { ResolveNotice } from '#contract/notice.js';
import { isSameThread } from '#rules/guards/fired-for.js';
import type { Cooldown, GuardMemory } from '#rules/guards/memory.js';
import { hashId } from '#rules/guards/seen.js';
import type { WatchedIncident } from './incidents.js';
import { push } from './push.js';
import { alertOf, identityOf } from './same-work.js';
import type { WatchState } from './watch-state.js';

// A receiver is told that all of an alert works again, but not while a pause or a cooldown would suppress a repeat: else it
// believes the work is mended, and hears nothing when that breaks again. Cooldowns that were armed later do not count, so the
// wait ends also where others keep the rule firing.

export function hasResolvesDue(state: WatchState, now: number): boolean {
  return dueAlerts(state, now).length > 0;
}

/** Turns alerts whose receivers are to be told now into messages, and forgets them. */
export function collectResolves(state: WatchState, now: number): void {
  for (const alert of dueAlerts(state, now)) {
    for (const one of alert) state.incidents.delete(identityOf(one));
    const last = alert.at(-1);
    if (last) state.notices.push(resolveOf(last, state.tenant, now));
  }
}

type ResolvedIncident = WatchedIncident & Required<Pick<WatchedIncident, 'resolved'>>;

/** Each with its incidents; what began to work last comes last. */
function dueAlerts({ memory, pause, ...state }: WatchState, now: number): ResolvedIncident[][] {
  const incidents = [...state.incidents.values()];
  // Asked at every turn of the watch, and mostly there is nothing to tell.
  if (pause || !incidents.some(isResolved)) return [];
  const alerts = new Map<string, WatchedIncident[]>();
  for (const one of incidents) push(alerts, alertOf(one), one);
  const resolved = [...alerts.values()].filter((alert): alert is ResolvedIncident[] => alert.every(isResolved));
  const heldUntil = heldUntilAts(memory, resolved.flat());
  return resolved.filter((alert) => alert.every((one) => (heldUntil.get(one) ?? 0) <= now));
}

/**
 * Of incidents that work again: when the last cooldown ends that was armed before, and would suppress a repeat. That may be the
 * only cooldown of the rule, which has no `cooldownBy` then and so no label; the one that the last failure fell under; or one that
 * began with the same thread. There may be thousands of cooldowns and hundreds of incidents: so the incidents that one of them
 * may hold are looked up.
 */
export function heldUntilAts({ cooldowns }: GuardMemory, incidents: WatchedIncident[]): Map<WatchedIncident, number> {
  const heldUntil = new Map<WatchedIncident, number>();
  const byRule = new Map<string, Waiting>();
  for (const one of incidents.filter(isResolved)) {
    const waiting: Waiting = byRule.get(one.rule) ?? { all: [], byLabel: new Map(), bySession: new Map() };
    byRule.set(one.rule, waiting);
    waiting.all.push(one);
    push(waiting.byLabel, one.cooldownLabel, one);
    push(waiting.bySession, one.session, one);
  }
  for (const cooldown of cooldowns.values()) {
    for (const one of keptQuietBy(cooldown, byRule.get(cooldown.rule))) {
      if (cooldown.armedAt > one.resolved.at) continue;
      heldUntil.set(one, Math.max(heldUntil.get(one) ?? 0, cooldown.untilAt));
    }
  }
  return heldUntil;
}

interface Waiting {
  all: ResolvedIncident[];
  byLabel: Map<string | undefined, ResolvedIncident[]>;
  bySession: Map<string | undefined, ResolvedIncident[]>;
}

function keptQuietBy({ label, firedFor }: Cooldown, waiting: Waiting | undefined): ResolvedIncident[] {
  if (!waiting) return [];
  if (label === undefined) return waiting.all;
  const ofLabel = waiting.byLabel.get(label) ?? [];
  if (!firedFor) return ofLabel;
  const ofSession = waiting.bySession.get(firedFor.session) ?? [];
  return [...ofLabel, ...ofSession.filter((one) => isSameThread(firedFor, one))];
}

function isResolved(one: WatchedIncident): one is ResolvedIncident {
  return one.resolved !== undefined;
}

function resolveOf({ resolved, ...incident }: ResolvedIncident, tenant: string, now: number): ResolveNotice {
  const { rule, openedAt } = incident;
  const id = resolveId(tenant, rule, hashId(identityOf(incident)), openedAt);
  return { kind: 'resolve', id, tenant, rule, at: now, incident, by: resolved.by };
}
