import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  getExternalWorkflowHandle,
  log,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { HandlerUnfinishedPolicy } from '@temporalio/common';
import type { SlotsActivities } from '#contract/activities.js';
import { actionQueueOf, QUERIES, REMEDIATION_SIGNALS, SLOTS_SIGNALS } from '#contract/names.js';
import type { Slot, SlotBook, SlotGrant, SlotHolder, SlotRelease, SlotRequest, SlotsInput } from '#contract/slots.js';
import { summaryOf } from '#contract/text/shorten.js';
import { MAX_HISTORY_BYTES } from './limits.js';
import { acquire, granted, release } from './slot-book.js';
import { code, utc } from '#contract/text/markdown.js';
import { plural } from '#contract/text/words.js';

const IDLE_MS = 60_000;
const LOOK_MS = 15_000;
/** Each costs a handful of events of history. */
const MAX_NEWS = 500;
/** Each look writes them into the history. */
const MAX_LOOKED_AT = 50;

/**
 * Keeps who runs an agent through one launcher, so that its limit holds over all workers and over their restarts. Remediations
 * ask for a slot by signal, are told by signal when they have it, and give it back by signal.
 */
export async function slots(input: SlotsInput): Promise<void> {
  const { launcher, idleMs = IDLE_MS, lookMs = LOOK_MS, maxNews = MAX_NEWS } = input;
  let book: SlotBook = { max: input.max ?? 0, held: input.held ?? [], waiting: input.waiting ?? [] };
  let emptySinceAt = Date.now();
  let lookAt = Date.now() + lookMs;
  let lookedAt = 0;
  let news = 0;
  let telling: readonly Slot[] = [];
  setHandler(
    defineSignal<[unknown?]>(SLOTS_SIGNALS.acquire),
    (asked) => {
      if (!isRequest(asked)) return log.warn('ignored a signal that asks for no slot');
      return change(acquire(book, asked, Date.now()));
    },
    {
      description: 'A remediation is about to start an agent: it is told with the signal `slot` when it may.',
      unfinishedPolicy: HandlerUnfinishedPolicy.ABANDON,
    },
  );
  setHandler(
    defineSignal<[unknown?]>(SLOTS_SIGNALS.release),
    (given) => {
      if (!isRelease(given)) return log.warn('ignored a signal that names no slot');
      return change(release(book, given, Date.now()));
    },
    {
      description: 'An agent has ended, or waits no longer: `{"key"}` of its slot, as the details show it.',
      unfinishedPolicy: HandlerUnfinishedPolicy.ABANDON,
    },
  );
  setHandler(defineQuery<SlotBook>(QUERIES.status), () => book, { description: 'Who has a slot, and who waits.' });
  show();

  await Promise.all((input.untold ?? []).map(tell));
  for (;;) {
    const nextAt = dueAt();
    const isNew = () => isLong() || dueAt() !== nextAt;
    if (nextAt === undefined) await condition(isNew);
    else await condition(isNew, Math.max(1, nextAt - Date.now()), { summary: summaryOf(whatIsDue()) });

    if (book.waiting.length > 0 && Date.now() >= lookAt) await giveBackAbandoned();
    // While many come and go somebody is always being told: the next run tells them again.
    if (isLong()) await continueAsNew<typeof slots>({ ...input, ...book, untold: telling });
    if (isEmpty() && Date.now() >= emptySinceAt + idleMs) return;
  }

  async function change(now: SlotBook): Promise<void> {
    const before = book;
    if (before.waiting.length === 0) lookAt = Date.now() + lookMs;
    book = now;
    if (isEmpty()) emptySinceAt = Date.now();
    news++;
    show();
    await Promise.all(granted(before, now).map(tell));
  }

  async function tell(slot: Slot): Promise<void> {
    const { key, holder, run } = slot;
    telling = [...telling, slot];
    try {
      const grant: SlotGrant = { slots: workflowInfo().workflowId, key };
      await getExternalWorkflowHandle(holder, run).signal(REMEDIATION_SIGNALS.slot, grant);
    } catch {
      // The remediation is closed.
      await change(release(book, { key, run }, Date.now()));
    } finally {
      telling = telling.filter((one) => one !== slot);
    }
  }

  /** A remediation that was terminated gives nothing back, and nobody waits for it in vain. */
  async function giveBackAbandoned(): Promise<void> {
    const { findClosed } = proxyActivities<SlotsActivities>({
      taskQueue: actionQueueOf(workflowInfo().taskQueue, 'agents'),
      scheduleToCloseTimeout: LOOK_MS,
      retry: { maximumAttempts: 1 },
      summary: summaryOf('which of the remediations that have a slot are closed'),
    });
    try {
      for (const { key, run } of await findClosed(nextToLookAt())) {
        await change(release(book, { key, run }, Date.now()));
      }
    } catch (error) {
      log.warn('could not look who still needs a slot', { launcher, error });
    }
    lookAt = Date.now() + lookMs;
  }

  /** In turn, so that one which nobody gives back is found in the end. */
  function nextToLookAt(): SlotHolder[] {
    const from = lookedAt % Math.max(1, book.held.length);
    lookedAt += MAX_LOOKED_AT;
    const inTurn = [...book.held.slice(from), ...book.held.slice(0, from)].slice(0, MAX_LOOKED_AT);
    return inTurn.map(({ key, holder, run }) => ({ key, holder, run }));
  }

  function isEmpty(): boolean {
    return book.held.length === 0 && book.waiting.length === 0;
  }

  function isLong(): boolean {
    return news >= maxNews || workflowInfo().historySize >= MAX_HISTORY_BYTES;
  }

  /** When something is to be done even if nobody comes. */
  function dueAt(): number | undefined {
    if (book.waiting.length > 0) return lookAt;
    return isEmpty() ? emptySinceAt + idleMs : undefined;
  }

  function whatIsDue(): string {
    return isEmpty() ? 'ends if it stays unused' : 'looks whether all that have a slot still need it';
  }

  function show(): void {
    setCurrentDetails(renderSlotsDetails(launcher, book));
  }
}

/** As long as the server takes: a longer one could not be told of its turn. */
const MAX_ID_CHARS = 1_000;

/** Anyone can signal a workflow. */
function isRequest(asked: unknown): asked is SlotRequest {
  if (!isRelease(asked)) return false;
  const { holder, run, max } = asked as Partial<Record<keyof SlotRequest, unknown>>;
  if (typeof holder !== 'string' || typeof run !== 'string' || typeof max !== 'number') return false;
  return max >= 1 && holder.length >= 1 && holder.length <= MAX_ID_CHARS;
}

function isRelease(given: unknown): given is SlotRelease {
  if (typeof given !== 'object' || given === null) return false;
  const { key, run } = given as Partial<Record<keyof SlotRelease, unknown>>;
  return typeof key === 'string' && (run === undefined || typeof run === 'string');
}

const MAX_SHOWN = 50;

/** What an operator sees beside the slots of a launcher in the Temporal UI: who has them, who waits, and what gives them back. */
function renderSlotsDetails(launcher: string, { held, waiting }: SlotBook): string {
  if (held.length === 0) return `### No agent of ${code(launcher)} holds a slot\n\nNext: ends after a minute unused.`;
  return [
    `### ${plural(held.length, 'slot')} of ${code(launcher)} taken`,
    list(held),
    ...(waiting.length > 0 ? [`### In line: ${waiting.length}`, list(waiting)] : []),
    'Next: each is given back when its agent has ended, or once its remediation is closed and another one waits. The ' +
      'first in line is told. To give one back by hand: signal `release` with `{"key": "…"}`.',
  ].join('\n\n');
}

function list(all: readonly Slot[]): string {
  const lines = all.slice(0, MAX_SHOWN).map(({ key, sinceAt }) => `- ${code(key)} since ${utc(sinceAt)}`);
  const more = all.length - lines.length;
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}
