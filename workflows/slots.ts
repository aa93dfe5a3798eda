import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  defineUpdate,
  getExternalWorkflowHandle,
  log,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { REMEDIATION_SIGNALS, SLOTS_SIGNALS, SLOTS_UPDATES } from '#contract/names.js';
import {
  type KeptSlot,
  MAX_ASKED_TOGETHER,
  type SlotOwner,
  type SlotQuestion,
  type SlotRelease,
  type SlotReply,
  type SlotRequest,
  type SlotsInput,
  type SlotTurn,
} from '#contract/slots.js';
import { summaryOf } from '#contract/text/shorten.js';
import { finalFailure } from './final-failure.js';
import { MAX_HISTORY_BYTES } from './limits.js';
import { acquire, expire, newlyKept, overdue, release, type SlotBook, taken } from './slot-book.js';
import { renderSlotsDetails } from './slots-details.js';

const IDLE_MS = 60_000;
const KEPT_FOR_MS = 30_000;
/** Each costs a handful of events of history. */
const MAX_NEWS = 500;
/** Every answer is written into the history, and whoever is answered asks the server about each of them. */
const MAX_NAMED = 20;

/**
 * Keeps who runs an agent through one launcher, so that its limit holds over all workers and over their restarts, and who
 * waits for that: a slot that is free is kept for the first in line, whose remediation is told.
 */
export async function slots(input: SlotsInput): Promise<void> {
  const { launcher, idleMs = IDLE_MS, keptForMs = KEPT_FOR_MS, maxNews = MAX_NEWS } = input;
  let book: SlotBook = { held: input.held ?? [], kept: input.kept ?? [], waiting: input.waiting ?? [], keptForMs };
  let emptySinceAt = Date.now();
  let news = 0;
  let namedSoFar = 0;
  const untold: KeptSlot[] = [];
  /** Attempts that have given back, whatever they had. */
  const givenBack = new Set<string>();
  // First, so that in a new run what was given back before it began is there for who asks before it began.
  setHandler(defineSignal<[unknown?]>(SLOTS_SIGNALS.release), giveBack, {
    description: 'An agent has ended, or waits no longer: `{"key", "claim"}` of its slot, as the details show them.',
  });
  setHandler(defineUpdate<SlotReply, [SlotQuestion]>(SLOTS_UPDATES.acquire), take, {
    validator: refuse,
    description:
      'Remediations are about to start agents: each has a slot, or stands in line. If one does, they hear who has them.',
  });
  show();

  for (;;) {
    const nextAt = dueAt();
    const isNew = () => untold.length > 0 || isLong() || dueAt() !== nextAt;
    if (nextAt === undefined) await condition(isNew);
    else await condition(isNew, Math.max(1, nextAt - Date.now()), { summary: summaryOf(whatIsDue()) });

    await Promise.all(untold.splice(0).map(tell));
    const late = overdue(book, Date.now());
    if (late.length > 0) setBook(expire(book, late, Date.now()));
    // What was granted must have been answered before this run ends.
    await condition(allHandlersFinished);
    if (untold.length > 0) continue;
    if (isLong()) await continueAsNew<typeof slots>({ ...input, ...book });
    if (taken(book) === 0 && Date.now() >= emptySinceAt + idleMs) return;
  }

  function refuse(asked: unknown): void {
    if (!isSlotQuestion(asked)) throw finalFailure('action-error', 'this is no question for slots');
  }

  function take({ requests }: SlotQuestion): SlotReply {
    // Whoever has asked in vain, while no worker ran, gives back before the question is heard. Nobody reads that answer.
    const asking = requests.filter(({ claim }) => !givenBack.has(claim));
    const oldestFirst = asking.sort((one, other) => one.startedAt - other.startedAt);
    setBook(oldestFirst.reduce((before, asked) => acquire(before, asked, Date.now()), book));
    const holders = new Set(book.held.map(({ key }) => key));
    const granted = asking.map(({ key }) => key).filter((key) => holders.has(key));
    return { granted, held: granted.length === asking.length ? [] : nextToName() };
  }

  /** In turn, so that one which nobody gives back is found in the end. */
  function nextToName(): SlotOwner[] {
    const all = [...book.held, ...book.kept].map(({ key, claim, holder, run }) => ({ key, claim, holder, run }));
    const from = namedSoFar % all.length;
    namedSoFar += MAX_NAMED;
    return [...all.slice(from), ...all.slice(0, from)].slice(0, MAX_NAMED);
  }

  function giveBack(given: unknown): void {
    if (!isRelease(given)) return log.warn('ignored a signal that names no slot');
    if (given.claim !== undefined) givenBack.add(given.claim);
    setBook(release(book, given, Date.now()));
  }

  async function tell(kept: KeptSlot): Promise<void> {
    try {
      const turn: SlotTurn = { key: kept.key };
      await getExternalWorkflowHandle(kept.holder).signal(REMEDIATION_SIGNALS.slot, turn);
    } catch {
      // The remediation is closed.
      setBook(expire(book, [kept], Date.now()));
    }
  }

  function setBook(now: SlotBook): void {
    untold.push(...newlyKept(book, now));
    if (taken(book) > 0 && taken(now) === 0) emptySinceAt = Date.now();
    book = now;
    news++;
    show();
  }

  function isLong(): boolean {
    return news >= maxNews || workflowInfo().historySize >= MAX_HISTORY_BYTES;
  }

  /** When something is to be done even if nobody comes. */
  function dueAt(): number | undefined {
    if (taken(book) === 0) return emptySinceAt + idleMs;
    const times = book.kept.map(({ keptUntilAt }) => keptUntilAt);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  function whatIsDue(): string {
    return taken(book) === 0 ? 'ends if it stays unused' : 'the turn of the next, if nobody comes';
  }

  function show(): void {
    setCurrentDetails(renderSlotsDetails(launcher, book));
  }
}

/** As long as the server takes: a longer one could not be told of its turn. */
const MAX_ID_CHARS = 1_000;

/** Anyone can update and signal a workflow. */
function isSlotQuestion(asked: unknown): asked is SlotQuestion {
  if (typeof asked !== 'object' || asked === null) return false;
  const { requests } = asked as Partial<Record<keyof SlotQuestion, unknown>>;
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > MAX_ASKED_TOGETHER) return false;
  return requests.every(isSlotRequest);
}

function isSlotRequest(asked: unknown): asked is SlotRequest {
  if (!isRelease(asked)) return false;
  const { claim, holder, run, startedAt, max } = asked as Partial<Record<keyof SlotRequest, unknown>>;
  if (typeof claim !== 'string' || typeof holder !== 'string' || typeof run !== 'string') return false;
  if (typeof startedAt !== 'number' || typeof max !== 'number') return false;
  return max >= 1 && holder.length >= 1 && holder.length <= MAX_ID_CHARS;
}

function isRelease(given: unknown): given is SlotRelease {
  if (typeof given !== 'object' || given === null) return false;
  const { key, claim } = given as Partial<Record<keyof SlotRelease, unknown>>;
  return typeof key === 'string' && (claim === undefined || typeof claim === 'string');
}
