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
import { QUERIES, SIGNALS } from '#contract/names.js';
import type { OpenIncident } from '#contract/notification.js';
import type { Judgement, LoggedVerdict } from '#contract/verdict.js';
import type { BatchHint, IncidentsQuery, JudgementQuery, VerdictsQuery, WatchStatus } from '#contract/watch.js';
import { pruneExpired, rearm } from '#rules/guards/memory.js';
import { createAlarm } from './alarm.js';
import { collectDigests } from './digests.js';
import { collectResolves, hasResolvesDue } from './resolves.js';
import { startHold } from './hold.js';
import { createInbox, type EventItem, pausedAtFront } from './inbox.js';
import { openIncidents } from './incidents.js';
import { judgeBatch } from './judge-batch.js';
import { IDLE_CLOSE_MS, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, MAX_HISTORY_EVENTS } from './limits.js';
import { forgetOld } from './forget-old.js';
import { textOrTextIn } from './read-argument.js';
import type { WatchRunInput } from './saved-watch.js';
import { hasToSendOut, sendOut } from './send-out.js';
import { startFirings } from './start-firings.js';
import { logRefusedSignal } from './verdict-log.js';
import { announceAgents } from './watch-agents.js';
import { renderWatchDetails } from './watch-details.js';
import { isIdleForGood, isTimeForNextRun, nextWake, type RunFacts } from './watch-schedule.js';
import { loadWatchState, saveWatchState } from './watch-state.js';
import { incidentsOf, judgementOf, statusOf, verdictsOf } from './watch-status.js';

/**
 * The long-lived workflow of a tenant: takes events, judges them, remembers the guards, starts remediations.
 *
 * A request to cancel it pauses it instead: it holds every guard of the tenant and perhaps events that wait, and a click
 * must not lose them. Terminating it does end it.
 */
export async function watch(input: WatchRunInput): Promise<void> {
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

async function keepWatch(input: WatchRunInput, cancelRequested: Promise<never>): Promise<void> {
  const state = loadWatchState(input, Date.now());
  const inbox = createInbox(input.saved?.inbox ?? []);
  const alarm = createAlarm();
  let hasGapAhead = false;
  let isCancelled = false;
  let prunedAt = Date.now();
  let batchEvents = MAX_BATCH_EVENTS;
  const { idleCloseMs = IDLE_CLOSE_MS, maxHistoryEvents = MAX_HISTORY_EVENTS } = input;

  registerHandlers();
  cancelRequested.catch(onCancelled);
  showDetails();

  for (;;) {
    if (!isAwake()) {
      setAlarm();
      await condition(isAwake);
    }
    if (hasWork()) await handleNext();
    if (state.hold?.isOver && inbox.size() === 0) endHold();
    if (alarm.isRinging()) {
      alarm.silence();
      prune();
      showDetails();
    }
    collectDigests(state, Date.now());
    if (mayResolve()) {
      collectResolves(state, Date.now());
      showDetails();
    }
    await sendOut(state);
    if (isIdleForGood(state, runFacts(), Date.now())) return;
    if (shouldContinueAsNew()) {
      // Under steady load runs are shorter than the steps in which the alarm prunes: without this it would never happen.
      prune();
      await continueAsNew<typeof watch>({ ...input, saved: saveWatchState(state, inbox.items()) });
    }
  }

  function isAwake(): boolean {
    return (
      hasWork() || hasToSendOut(state) || mayResolve() || alarm.isRinging() || isDoneHolding() || isDoneAfterCancel()
    );
  }

  /** Also when nothing else is to be done: the next cancel may come before that. */
  function isDoneAfterCancel(): boolean {
    return isCancelled && shouldContinueAsNew();
  }

  /** For good, or in this run: what arrives is not handled meanwhile, and makes the history grow all the same. */
  function isDoneHolding(): boolean {
    return state.hold !== undefined && (state.hold.isOver || shouldContinueAsNew());
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
      () => statusOf(state, inbox.size(), workflowInfo().historyLength),
      { description: 'Counters, armed guards, ruleset, problems.' },
    );
    setHandler(defineQuery<LoggedVerdict[], [VerdictsQuery?]>(QUERIES.verdicts), (query) => verdictsOf(state, query), {
      description: 'The last verdicts, or those of one event: {"eventId": "…"}.',
    });
    setHandler(
      defineQuery<Judgement, [JudgementQuery?]>(QUERIES.judgement),
      (query) => judgementOf(state, inbox, query),
      { description: 'What is known of one event: {"eventId": "…"}.' },
    );
    setHandler(
      defineQuery<OpenIncident[], [IncidentsQuery?]>(QUERIES.incidents),
      (query) => incidentsOf(state, query),
      { description: 'What is open at a receiver: {"team": "…", "channel": "…", "key": "…"}.' },
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

  function onCancelled(): void {
    isCancelled = true;
    pause('cancellation was requested; send the signal resume to go on');
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
    return !isHolding() || first.kind === 'rearm' || first.pause !== undefined;
  }

  function isHolding(): boolean {
    return state.hold !== undefined && !state.hold.isOver;
  }

  /** What was reported during a pause is heard first: the same may have failed again. */
  function mayResolve(): boolean {
    return !inbox.hasPaused() && hasResolvesDue(state, Date.now());
  }

  async function handleNext(): Promise<void> {
    const items = inbox.peek(batchEvents, MAX_BATCH_BYTES);
    if (items[0]?.kind === 'rearm') {
      rearm(state.memory, items[0].rule);
      inbox.drop(1);
    } else {
      await handleEvents(items as EventItem[]);
    }
    if (inbox.size() === 0 || state.hold) showDetails();
  }

  async function handleEvents(items: EventItem[]): Promise<void> {
    const wasHolding = isHolding();
    const due = wasHolding ? pausedAtFront(items) : items;
    const judged = await judgeBatch(state, due);
    if ('unavailable' in judged) {
      state.hold = startHold(state.tenant, judged.unavailable, state.hold);
      return;
    }
    // What is left of a batch is asked for again, and all that is asked is recorded: so the next ones are smaller.
    batchEvents = Math.max(1, judged.taken < due.length ? judged.taken : Math.min(2 * batchEvents, MAX_BATCH_EVENTS));
    inbox.drop(judged.taken);
    if (!wasHolding) state.hold = undefined;
    // Starting may take a while, and the verdicts stand.
    if (judged.firings.length > 0 && inbox.size() === 0) showDetails();
    await startFirings(state, judged.firings, judged.by, showDetails);
  }

  /** Everything that waited was judged otherwise, such as by a pause. */
  function endHold(): void {
    state.hold = undefined;
    showDetails();
  }

  function setAlarm(): void {
    const { at, summary } = nextWake(state, runFacts(), Date.now());
    alarm.ringBy(at, summary);
  }

  function prune(): void {
    prunedAt = Date.now();
    pruneExpired(state.memory, prunedAt);
    forgetOld(state, prunedAt);
    // What ended cooldowns kept quiet is not carried over by itself.
    collectDigests(state, prunedAt);
  }

  /** Not with news left that remediations are to be told: those are not carried over. */
  function shouldContinueAsNew(): boolean {
    return isTimeForNextRun(state, runFacts(), Date.now()) && !hasToSendOut(state);
  }

  function runFacts(): RunFacts {
    const { historyLength, historySize } = workflowInfo();
    return {
      prunedAt,
      waiting: { items: inbox.size(), bytes: inbox.bytes() },
      history: { events: historyLength, bytes: historySize },
      hasGapAhead,
      isCancelled,
      maxHistoryEvents,
      idleCloseMs,
    };
  }

  function showDetails(): void {
    setCurrentDetails(renderWatchDetails(state, inbox.size()));
  }
}

function isGapAhead(hint: unknown): boolean {
  return typeof hint === 'object' && hint !== null && (hint as Partial<BatchHint>).gapAhead === true;
}
