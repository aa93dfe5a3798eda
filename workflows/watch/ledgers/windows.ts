import type { FiredFor } from '#contract/notice.js';
import { plural } from '#contract/text/words.js';
import { learnWindows } from '#rules/guards/learn.js';
import {
  type Cooldown,
  type Dedup,
  evictNearest,
  type GuardMemory,
  pruneExpired,
  rearm,
} from '#rules/guards/memory.js';
import type { SavedSuppression } from '#rules/guards/suppressed.js';
import { byteLength } from '../byte-length.js';
import { PRUNE_STEP_MS } from '../limits.js';
import { type Due, dueFirst, type Ledger } from './ledger.js';

/** Windows are many, so they are lists without the names of their fields. */
export interface SavedWindows {
  /** An empty label is none. */
  cooldowns: [
    rule: string,
    key: string,
    untilAt: number,
    armedAt: number,
    label?: string,
    suppressed?: SavedSuppression | null,
    firedFor?: FiredFor,
  ][];
  /** Per rule and action: keys and expiries, parted by spaces. */
  dedups: [rule: string, action: string, keys: string][];
  /** Dropped before their time because the state grew too large, over all runs. */
  evicted: number;
}

export interface Windows extends Ledger<SavedWindows> {
  /** Ends the windows of one rule, or of all. */
  rearm(rule: string | undefined): void;
  /** Ends the windows nearest to expiry until about so many bytes are gone. Tells how many went. */
  evict(bytes: number): number;
}

const LISTED_WINDOWS = 1000;

/** Cooldowns and dedup windows that are armed. */
export function createWindows(memory: GuardMemory): Windows {
  const { cooldowns, dedups } = memory;
  let evicted = 0;

  return {
    load(saved) {
      for (const one of saved.cooldowns) loadCooldown(memory, one);
      for (const group of saved.dedups) loadDedups(memory, group);
      evicted = saved.evicted;
    },
    save: () => ({
      cooldowns: [...cooldowns].map(([key, cooldown]) => saveCooldown(key, cooldown)),
      dedups: saveDedups(memory),
      evicted,
    }),
    prune: (now) => pruneExpired(memory, now),
    due: () => windowsDue(memory),
    learn({ learnt }) {
      if (learnt) learnWindows(memory, learnt);
    },
    show: () => ({
      guards: {
        cooldowns: nearest([...cooldowns.values()]).map(({ rule, untilAt, label }) => ({
          ...{ rule, untilAt },
          ...(label !== undefined && { label }),
        })),
        dedups: nearest([...dedups.values()]),
        live: { cooldowns: cooldowns.size, dedups: dedups.size },
        evicted,
      },
    }),
    details: () =>
      `Quiet for now: ${plural(cooldowns.size, 'cooldown')}, ${plural(dedups.size, 'dedup window')}` +
      (evicted > 0 ? `; **${evicted} dropped early** because the state grew too large` : ''),
    rearm: (rule) => rearm(memory, rule),
    evict(bytes) {
      const count = evictNearest(memory, bytes, savedBytes);
      evicted += count;
      return count;
    },
  };
}

/** A cooldown wakes the watch at its end; for thousands of dedup windows that would be all it does. */
function windowsDue({ cooldowns, dedups }: GuardMemory): Due[] {
  let first: Cooldown | undefined;
  for (const one of cooldowns.values()) if (one.untilAt < (first?.untilAt ?? Infinity)) first = one;
  const cooling = first ? [{ at: first.untilAt, summary: `cooldown of ${first.rule} ends`, stepMs: 0 }] : [];
  return [...cooling, ...dueFirst(untilAts(dedups), 'dedup windows end', PRUNE_STEP_MS)];
}

function* untilAts(windows: Map<string, { untilAt: number }>): Iterable<number> {
  for (const { untilAt } of windows.values()) yield untilAt;
}

/** What a window adds to the saved state at least; a second look shows whether more must go. */
function savedBytes(key: string, window: Cooldown | Dedup): number {
  if ('action' in window) return `${key} ${window.untilAt.toString(36)} `.length;
  return byteLength(saveCooldown(key, window)) + 1;
}

function saveCooldown(key: string, cooldown: Cooldown): SavedWindows['cooldowns'][number] {
  const { rule, untilAt, armedAt, label, suppressed, firedFor } = cooldown;
  if (firedFor) return [rule, key, untilAt, armedAt, label ?? '', suppressed ?? null, firedFor];
  if (suppressed) return [rule, key, untilAt, armedAt, label ?? '', suppressed];
  return label === undefined ? [rule, key, untilAt, armedAt] : [rule, key, untilAt, armedAt, label];
}

function loadCooldown(
  { cooldowns }: GuardMemory,
  [rule, key, untilAt, armedAt, label = '', suppressed, firedFor]: SavedWindows['cooldowns'][number],
): void {
  cooldowns.set(key, {
    ...{ rule, untilAt, armedAt },
    ...(label !== '' && { label }),
    ...(firedFor && { firedFor }),
    ...(suppressed && { suppressed }),
  });
}

function saveDedups({ dedups }: GuardMemory): SavedWindows['dedups'] {
  const groups = new Map<string, { rule: string; action: string; keys: string[] }>();
  for (const [key, { rule, action, untilAt }] of dedups) {
    const name = JSON.stringify([rule, action]);
    const group = groups.get(name) ?? { rule, action, keys: [] };
    group.keys.push(key, untilAt.toString(36));
    groups.set(name, group);
  }
  return [...groups.values()].map(({ rule, action, keys }) => [rule, action, keys.join(' ')]);
}

function loadDedups({ dedups }: GuardMemory, [rule, action, keys]: SavedWindows['dedups'][number]): void {
  const parts = keys.split(' ');
  for (let index = 0; index < parts.length; index += 2) {
    dedups.set(parts[index] ?? '', { rule, action, untilAt: parseInt(parts[index + 1] ?? '0', 36) });
  }
}

function nearest<T extends { untilAt: number }>(windows: T[]): T[] {
  return windows.sort((a, b) => a.untilAt - b.untilAt).slice(0, LISTED_WINDOWS);
}
