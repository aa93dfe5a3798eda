import { digestId, resolveId } from '#contract/ids.js';
import type { Notice } from '#contract/notice.js';
import type { GuardMemory } from '#rules/guards/memory.js';
import { hashId } from '#rules/guards/seen.js';
import { suppressedIn } from '#rules/guards/suppressed.js';
import type { OverAlert } from './alerts.js';
import { describeTooMany, lastWithin, type Ledger } from './ledger.js';

export interface SavedNotices {
  waiting: Notice[];
  /** Dropped because there were too many, over all runs. */
  dropped: number;
}

export interface Notices extends Ledger<SavedNotices> {
  /** Turns what ended cooldowns kept quiet into messages. */
  addDigests(now: number): void;
  addResolved(over: OverAlert[], now: number): void;
  /** Keeps no more of them than may be carried over. */
  bound(): void;
  size(): number;
  /** The next ones to start. They are forgotten. */
  take(count: number): Notice[];
}

const MAX_NOTICES_BYTES = 200_000;

/** Messages to start. While the tenant is paused they wait, also through continue-as-new. */
export function createNotices(tenant: string, { ended }: GuardMemory): Notices {
  let waiting: Notice[] = [];
  let dropped = 0;

  return {
    load(saved) {
      ({ waiting, dropped } = saved);
    },
    save: () => ({ waiting, dropped }),
    shed: [{ what: 'messages', shed: bound }],
    show: () => ({ dropped: { messages: dropped } }),
    details: () => describeTooMany({ messages: dropped }),
    addDigests(now) {
      for (const { rule, key, untilAt, label, firedFor, suppressed } of ended.splice(0)) {
        waiting.push({
          ...{ kind: 'digest', id: digestId(tenant, rule, key, untilAt), tenant, rule, at: now },
          ...(label !== undefined && { label }),
          ...(firedFor && { about: firedFor }),
          suppressed: suppressedIn(suppressed),
        });
      }
    },
    addResolved(over, now) {
      for (const { alert, by } of over) {
        const { rule, team, channel, key, openedAt } = alert;
        const id = resolveId(tenant, rule, hashId(JSON.stringify([team, channel, key])), openedAt);
        waiting.push({ kind: 'resolve', id, tenant, rule, at: now, alert, by });
      }
    },
    bound,
    size: () => waiting.length,
    take: (count) => waiting.splice(0, count),
  };

  /** Digests go first: good news is waited for. */
  function bound(): void {
    const known = waiting.length;
    const digests = waiting.filter(({ kind }) => kind === 'digest');
    const goodNews = waiting.filter(({ kind }) => kind === 'resolve');
    waiting = lastWithin([...digests, ...goodNews], MAX_NOTICES_BYTES);
    dropped += known - waiting.length;
  }
}
