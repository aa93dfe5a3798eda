import {
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  setCurrentDetails,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { QUERIES, SIGNALS } from '../contract/names.js';
import type { Judgement, LoggedVerdict } from '../contract/verdict.js';
import type { BatchHint, JudgementQuery, VerdictsQuery, WatchInput, WatchStatus } from '../contract/watch.js';
import { pruneExpired, rearm } from '../rules/guards/memory.js';
import { createAlarm } from './alarm.js';
import { collectDigests } from './digests.js';
import { type Hold, startHold } from './hold.js';
import { createInbox, type EventItem } from './inbox.js';
import { openIncidents } from './incidents.js';
import { judgeBatch } from './judge-batch.js';
import {
  FORGET_STEP_MS,
  IDLE_AFTER_MS,
  IDLE_CLOSE_MS,
  IDLE_HISTORY_EVENTS,
  MAX_BATCH_BYTES,
  MAX_BATCH_EVENTS,
  MAX_HISTORY_BYTES,
  MAX_HISTORY_EVENTS,
  PRUNE_STEP_MS,
} from './limits.js';
import { forgetOld, nextToForgetAt } from './forget-old.js';
import { textOrTextIn } from './read-argument.js';
import { hasToSendOut, sendOut } from './send-out.js';
import { startFirings } from './start-firings.js';
import { logRefusedSignal } from './verdict-log.js';
import { announceAgents } from './watch-agents.js';
import { renderWatchDetails } from './watch-details.js';
import { canSave, loadWatchState, saveWatchState } from './watch-state.js';
import { judgementOf, statusOf, verdictsOf } from './watch-status.js';

/**
 * The long-lived workflow of a tenant: takes events, judges them, remembers the guards, starts remediations.
 *
 * A request to cancel it pauses it instead: it holds every guard of the tenant and perhaps events that wait, and a click
 * must not lose them. Terminating it does end it.
 */
export async function watch(input: WatchInput): Promise<void> {
  const request = CancellationScope.current().cancelRequested;
  await CancellationScope.nonCancellable(() => keepWatch(input, request));
}

const SIGNAL_DESCRIPTIONS: Record<keyof typeof SIGNALS, string> = {
  events: 'Takes events to judge: a list of events.',
  rearm: 'Ends cooldown and dedup windows now: {"rule": "<id>"}, or {} for every rule.',
  pause: 'Kill switch: every event is skipped until resumed. {"reason": "…"} is shown.',
  resume: 'Ends a pause.',
  agents: 'From remediations: agents they start, so that what these report is known to be theirs.',
  incidents: 'From deliveries: incidents that are open at a receiver until a success is reported.',
};

async function keepWatch(input: WatchInput, cancelRequested: Promise<never>): Promise<void> {
  const state = loadWatchState(input, Date.now());
  const inbox = createInbox(input.saved?.inbox ?? []);
  const alarm = createAlarm();
  let hold: Hold | undefined;
  let hasGapAhead = false;
  let prunedAt = Date.now();
  const { idleCloseMs = IDLE_CLOSE_MS, maxHistoryEvents = MAX_HISTORY_EVENTS } = input;

  registerHandlers();
  cancelRequested.catch(() => pause('cancellation was requested; send the signal resume to go on'));
  showDetails();

  for (;;) {
    if (!hasWork() && !hasToSendOut(state)) {
      setAlarm();
      // While it holds events, nothing but their arrival makes the history grow.
      await condition(
        () =>
          hasWork() ||
          hasToSendOut(state) ||
          alarm.isRinging() ||
          (hold !== undefined && (hold.isOver || shouldContinueAsNew())),
      );
    }
    if (hasWork()) await handleNext();
    if (hold?.isOver && inbox.size() === 0) endHold();
    if (alarm.isRinging()) prune();
    collectDigests(state, Date.now());
    await sendOut(state);
    if (isIdleForGood()) return;
    if (shouldContinueAsNew()) {
      await continueAsNew<typeof watch>({ ...input, saved: saveWatchState(state, inbox.items()) });
    }
  }

  function registerHandlers(): void {
    // First of all, and for every name: signals that came before the first task are handed over when a handler for them is
    // set. Set name by name, all events would come before the first pause, whatever order they were sent in.
    setDefaultSignalHandler((name, argument) => receive(name, argument));
    for (const [name, description] of Object.entries(SIGNAL_DESCRIPTIONS)) {
      setHandler(
        defineSignal<[unknown?, unknown?]>(name),
        (argument, hint) => {
          hasGapAhead = isGapAhead(hint);
          receive(name, argument);
        },
        { description },
      );
    }
    setHandler(
      defineQuery<WatchStatus>(QUERIES.status),
      () => statusOf(state, hold, inbox.size(), workflowInfo().historyLength),
      { description: 'Counters, armed guards, ruleset, problems.' },
    );
    setHandler(defineQuery<LoggedVerdict[], [VerdictsQuery?]>(QUERIES.verdicts), (query) => verdictsOf(state, query), {
      description: 'The last 200 verdicts, or those of one event: {"eventId": "…"}.',
    });
    setHandler(
      defineQuery<Judgement, [JudgementQuery?]>(QUERIES.judgement),
      (query) => judgementOf(state, inbox, query),
      { description: 'What is known of one event: {"eventId": "…"}.' },
    );
  }

  function receive(signal: string, argument: unknown): void {
    switch (signal) {
      case SIGNALS.events:
        return inbox.addEvents(Array.isArray(argument) ? argument : [argument], state.pause);
      case SIGNALS.rearm:
        return requestRearm(argument);
      case SIGNALS.pause:
        return pause(textOrTextIn(argument, 'reason'));
      case SIGNALS.resume:
        return resume();
      case SIGNALS.agents:
        refuse(signal, announceAgents(state, argument, Date.now()));
        return showDetails();
      case SIGNALS.incidents:
        refuse(signal, openIncidents(state, argument, Date.now()));
        return showDetails();
      default:
        refuse(signal.slice(0, 100), `expected one of ${Object.values(SIGNALS).join(', ')}`);
    }
  }

  function refuse(signal: string, problem: string | undefined): void {
    if (problem !== undefined) logRefusedSignal(state, signal, problem, Date.now());
  }

  function pause(reason: string | undefined): void {
    state.pause = { sinceAt: Date.now(), ...(reason && { reason: reason.slice(0, 200) }) };
    inbox.pauseAll(state.pause);
    showDetails();
  }

  /** A misspelt key must not re-arm every rule. */
  function requestRearm(request: unknown): void {
    const rule = textOrTextIn(request, 'rule');
    const isForAll =
      request === undefined || request === null || (typeof request === 'object' && Object.keys(request).length === 0);
    if (rule !== undefined || isForAll) return inbox.addRearm(rule);
    refuse(SIGNALS.rearm, 'expected {"rule": "<id>"}, or {} for every rule');
  }

  function resume(): void {
    state.pause = undefined;
    showDetails();
  }

  /** While rules cannot be had only what needs none goes on: paused events and re-arms at the front of the inbox. */
  function hasWork(): boolean {
    const first = inbox.first();
    if (!first) return false;
    return !hold || hold.isOver || first.kind === 'rearm' || first.pause !== undefined;
  }

  async function handleNext(): Promise<void> {
    const items = inbox.peek(MAX_BATCH_EVENTS, MAX_BATCH_BYTES);
    if (items[0]?.kind === 'rearm') {
      rearm(state.memory, items[0].rule);
      inbox.drop(1);
    } else {
      await handleEvents(items as EventItem[]);
    }
    if (inbox.size() === 0 || hold) showDetails();
  }

  async function handleEvents(items: EventItem[]): Promise<void> {
    const isHolding = hold !== undefined && !hold.isOver;
    const judged = await judgeBatch(state, isHolding ? items.filter(({ pause }) => pause) : items);
    if ('unavailable' in judged) {
      hold = startHold(state.tenant, judged.unavailable, hold);
      return;
    }
    inbox.drop(judged.taken);
    if (!isHolding) hold = undefined;
    await startFirings(state, judged.firings, judged.rulesetHash);
  }

  /** Everything that waited was judged otherwise, such as by a pause. */
  function endHold(): void {
    hold = undefined;
    showDetails();
  }

  /** The durable timer: to the next expiry, to the moment an idle watch may close, or to a quiet continue-as-new. */
  function setAlarm(): void {
    let next = { at: Infinity, summary: '' };
    const consider = (at: number, summary: string) => {
      if (at < next.at) next = { at, summary };
    };
    for (const { rule, untilAt } of state.memory.cooldowns.values()) consider(untilAt, `cooldown of ${rule} ends`);
    for (const { untilAt } of state.memory.dedups.values()) {
      consider(Math.max(untilAt, prunedAt + PRUNE_STEP_MS), 'dedup windows end');
    }
    if (!hold && workflowInfo().historyLength > IDLE_HISTORY_EVENTS) {
      consider(Math.max(state.lastEventAt, prunedAt) + IDLE_AFTER_MS, 'continues as new if nothing happens');
    }
    const toForgetAt = nextToForgetAt(state);
    if (toForgetAt !== undefined) consider(Math.max(toForgetAt, prunedAt + FORGET_STEP_MS), 'forgets what is old');
    // Not while there is something to remember: it would ring at once, again and again, until that is forgotten.
    if (!hold && !state.pause && !remembersAnything()) {
      consider(Math.max(state.lastEventAt + idleCloseMs, Date.now() + 1), 'closes if idle');
    }
    alarm.ringBy(next.at, next.summary);
  }

  function prune(): void {
    alarm.silence();
    prunedAt = Date.now();
    pruneExpired(state.memory, prunedAt);
    forgetOld(state, prunedAt);
    showDetails();
  }

  function isIdleForGood(): boolean {
    const idleMs = Date.now() - state.lastEventAt;
    return inbox.size() === 0 && !remembersAnything() && !state.pause && !hold && idleMs >= idleCloseMs;
  }

  function remembersAnything(): boolean {
    const { cooldowns, dedups } = state.memory;
    const windows = cooldowns.size + dedups.size;
    return windows + state.notices.length > 0 || nextToForgetAt(state) !== undefined;
  }

  function shouldContinueAsNew(): boolean {
    const { historyLength, historySize } = workflowInfo();
    const isIdle = inbox.size() === 0 && Date.now() - state.lastEventAt >= IDLE_AFTER_MS;
    const isLong =
      historyLength >= maxHistoryEvents ||
      historySize >= MAX_HISTORY_BYTES ||
      // A signal that slips in now would make the run replay whole, and stall for most of a second.
      ((isIdle || (hasGapAhead && inbox.size() === 0)) && historyLength > IDLE_HISTORY_EVENTS);
    return isLong && canSave(inbox.bytes()) && !hasToSendOut(state);
  }

  function showDetails(): void {
    setCurrentDetails(renderWatchDetails(state, hold, inbox.size()));
  }
}

function isGapAhead(hint: unknown): boolean {
  return typeof hint === 'object' && hint !== null && (hint as Partial<BatchHint>).gapAhead === true;
}
