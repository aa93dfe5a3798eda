import { defineQuery, defineSignal, setDefaultSignalHandler, setHandler, workflowInfo } from '@temporalio/workflow';
import { QUERIES, SIGNALS } from '#contract/names.js';
import type { OpenAlert } from '#contract/notification.js';
import type { Judgement, LoggedVerdict } from '#contract/views/verdicts.js';
import type { AlertsQuery, BatchHint, JudgementQuery, VerdictsQuery, WatchStatus } from '#contract/watch.js';
import type { Watch } from './open-watch.js';
import { textOrTextIn } from './read-argument.js';
import { judgementOf, showDetails, statusOf } from './view.js';

const SIGNAL_DESCRIPTIONS: Record<keyof typeof SIGNALS, string> = {
  events: 'Takes events to judge: a list of events.',
  rearm: 'Ends cooldown and dedup windows now: {"rule": "<id>"}, or {} for every rule.',
  pause: 'Kill switch: every event is skipped until resumed. {"reason": "…"} is shown.',
  resume: 'Ends a pause.',
  agents: 'From remediations: agents they start, so that what these report is known to be theirs.',
  alerts: 'From deliveries: alerts that are open at a receiver until a success is reported.',
};

/** Takes signals and answers queries. */
export function listen(watch: Watch): void {
  // First of all, and for every name: signals that came before the first task are handed over when a handler for them is
  // set. Set name by name, all events would come before the first pause, whatever order they were sent in.
  setDefaultSignalHandler((name, argument) => receive(watch, name, argument));
  for (const [name, description] of Object.entries(SIGNAL_DESCRIPTIONS)) {
    setHandler(
      defineSignal<[unknown?, unknown?]>(name),
      (argument, hint) => {
        watch.run.hasGapAhead = isGapAhead(hint);
        receive(watch, name, argument);
      },
      { description },
    );
  }
  const { verdicts, alerts } = watch.ledgers;
  setHandler(defineQuery<WatchStatus>(QUERIES.status), () => statusOf(watch, workflowInfo().historyLength), {
    description: 'Counters, armed guards, ruleset, problems.',
  });
  setHandler(
    defineQuery<LoggedVerdict[], [VerdictsQuery?]>(QUERIES.verdicts),
    (query) => verdicts.list(query?.eventId),
    {
      description: 'The last verdicts, or those of one event: {"eventId": "…"}.',
    },
  );
  setHandler(defineQuery<Judgement, [JudgementQuery?]>(QUERIES.judgement), (query) => judgementOf(watch, query), {
    description: 'What is known of one event: {"eventId": "…"}.',
  });
  setHandler(
    defineQuery<OpenAlert[], [AlertsQuery?]>(QUERIES.alerts),
    (query) => alerts.list().filter((alert) => isMeant(alert, query)),
    { description: 'What is open at a receiver: {"team": "…", "channel": "…", "key": "…"}.' },
  );
}

/** A kill switch: what has arrived and is not judged yet is paused too. */
export function pause(watch: Watch, reason: string | undefined): void {
  const { ledgers, inbox } = watch;
  ledgers.standing.pause = { sinceAt: Date.now(), ...(reason && { reason: reason.slice(0, 200) }) };
  inbox.pauseAll(ledgers.standing.pause);
  showDetails(watch);
}

function receive(watch: Watch, signal: string, argument: unknown): void {
  const { ledgers, inbox } = watch;
  switch (signal) {
    case SIGNALS.events:
      return inbox.addEvents(Array.isArray(argument) ? argument : [argument], ledgers.standing.pause);
    case SIGNALS.rearm:
      return requestRearm(watch, argument);
    case SIGNALS.pause:
      return pause(watch, textOrTextIn(argument, 'reason'));
    case SIGNALS.resume:
      ledgers.standing.pause = undefined;
      return showDetails(watch);
    case SIGNALS.agents:
      refuse(watch, signal, ledgers.agents.announce(argument, Date.now()));
      return showDetails(watch);
    case SIGNALS.alerts:
      refuse(watch, signal, ledgers.alerts.open(argument, Date.now()));
      return showDetails(watch);
    default:
      refuse(watch, signal.slice(0, 100), `expected one of ${Object.values(SIGNALS).join(', ')}`);
  }
}

/** Answered where people look for answers: among the verdicts. */
function refuse({ ledgers }: Watch, signal: string, problem: string | undefined): void {
  if (problem !== undefined) ledgers.verdicts.logError(`signal ${signal}`, problem, Date.now());
}

/** A misspelt key must not re-arm every rule. */
function requestRearm(watch: Watch, request: unknown): void {
  const rule = textOrTextIn(request, 'rule');
  const isForAll =
    request === undefined || request === null || (typeof request === 'object' && Object.keys(request).length === 0);
  if (rule !== undefined || isForAll) return watch.inbox.addRearm(rule);
  refuse(watch, SIGNALS.rearm, 'expected {"rule": "<id>"}, or {} for every rule');
}

function isGapAhead(hint: unknown): boolean {
  return typeof hint === 'object' && hint !== null && (hint as Partial<BatchHint>).gapAhead === true;
}

function isMeant({ team, channel, key }: OpenAlert, query: AlertsQuery | undefined): boolean {
  return team === query?.team && channel === query.channel && key === query.key;
}
