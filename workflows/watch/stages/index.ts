import type { Fire } from '#contract/activities.js';
import type { Entry } from '#contract/record.js';
import { tellRecord } from '../../tell-record.js';
import { startHold } from '../hold.js';
import { type EventItem, pausedAtFront } from '../inbox.js';
import { loggedOf } from '../ledgers/verdicts.js';
import { MAX_BATCH_BYTES, MAX_BATCH_EVENTS } from '../limits.js';
import { prune, type Watch } from '../open-watch.js';
import { showDetails } from '../view.js';
import { fire } from './fire.js';
import { judge } from './judge.js';
import { learn } from './learn.js';
import { match, type MatchedBatch } from './match.js';
import { hasToTell, tell } from './tell.js';

/** What one turn of the watch is about: the batch that it has taken from the inbox, and what becomes of it. */
interface Turn {
  hasTaken: boolean;
  matched?: Extract<MatchedBatch, { available: true }>;
  fires: Fire[];
  firedAt: number;
}

type Stage = (watch: Watch, turn: Turn) => void | Promise<void>;

/** What a turn of the watch does, in this order. */
const STAGES: readonly Stage[] = [
  // For the whole batch at once, and before anything is remembered: events whose rules cannot be had are judged later as if they
  // had just arrived.
  matchNext,
  // Event by event in order of arrival, so that each is judged by what those before it have taught. All is found out before
  // anything is learnt.
  judgeAndLearn,
  // When all guards are armed and every verdict names its remediation: starting may take a while, and whoever asks meanwhile
  // is told where to look.
  fireAll,
  // Only now: events that were there before the alarm rang are judged as of then.
  endWhatIsOver,
  // Last, since all before ends cooldowns, alerts and agents.
  tellOthers,
];

export async function takeTurn(watch: Watch): Promise<void> {
  const turn: Turn = { hasTaken: false, fires: [], firedAt: 0 };
  for (const stage of STAGES) await stage(watch, turn);
}

/** While rules cannot be had only what needs none goes on: paused events and re-arms at the front of the inbox. */
export function hasWork({ inbox, ledgers }: Watch): boolean {
  const first = inbox.first();
  if (!first) return false;
  return !isHolding(ledgers) || first.kind === 'rearm' || first.pause !== undefined;
}

/** Whether there are others to be told. What was reported during a pause is heard first: the same may have failed again. */
export function hasNews({ inbox, ledgers }: Watch): boolean {
  return hasToTell(ledgers) || (!inbox.hasPaused() && ledgers.alerts.hasOver(Date.now()));
}

function isHolding({ standing }: Watch['ledgers']): boolean {
  return standing.hold !== undefined && !standing.hold.isOver;
}

async function matchNext(watch: Watch, turn: Turn): Promise<void> {
  if (!hasWork(watch)) return;
  turn.hasTaken = true;
  const { tenant, ledgers, inbox, run } = watch;
  const items = inbox.peek(run.batchEvents, MAX_BATCH_BYTES);
  const [first] = items;
  if (first?.kind === 'rearm') {
    ledgers.windows.rearm(first.rule);
    return inbox.drop(1);
  }
  const wasHolding = isHolding(ledgers);
  const due = wasHolding ? pausedAtFront(items as EventItem[]) : (items as EventItem[]);
  const knownHash = ledgers.files.knownHash();
  const matched = await match({ tenant, ...(knownHash !== undefined && { knownHash }) }, ledgers.guards, due);
  if (!matched.available) {
    ledgers.standing.hold = startHold(tenant, matched.problems, ledgers.standing.hold);
    return;
  }
  turn.matched = matched;
  if (!wasHolding) ledgers.standing.hold = undefined;
  // What is left of a batch is asked for again, and all that is asked is recorded: so the next ones are smaller.
  const taken = matched.arrived.length;
  run.batchEvents = Math.max(1, taken < due.length ? taken : Math.min(2 * run.batchEvents, MAX_BATCH_EVENTS));
}

function judgeAndLearn({ tenant, ledgers, inbox }: Watch, turn: Turn): void {
  if (!turn.matched) return;
  const now = Date.now();
  const { arrived, ruleset, configTrouble } = turn.matched;
  if (ruleset) ledgers.files.note(ruleset, configTrouble, now);
  const told: Entry[] = [];
  for (const one of arrived) {
    const judged = judge(one, ledgers.guards, ruleset, now);
    learn(ledgers, one, judged);
    turn.fires.push(...judged.fires);
    told.push({ kind: 'event', ...judged.about, at: now, verdicts: loggedOf(tenant, judged) });
  }
  tellRecord(tenant, told);
  inbox.drop(arrived.length);
  ledgers.standing.lastEventAt = now;
  turn.firedAt = now;
}

async function fireAll(watch: Watch, { hasTaken, matched, fires, firedAt }: Turn): Promise<void> {
  const { tenant, ledgers, inbox } = watch;
  const show = () => showDetails(watch);
  const isAtRest = () => hasTaken && (inbox.size() === 0 || ledgers.standing.hold !== undefined);
  if (isAtRest()) show();
  if (fires.length === 0) return;
  await fire(ledgers, fires, { tenant, rulesetHash: matched?.ruleset?.hash ?? '', firedAt }, show);
  if (isAtRest()) show();
}

function endWhatIsOver(watch: Watch): void {
  const { ledgers, inbox, alarm } = watch;
  const isHoldOver = ledgers.standing.hold?.isOver === true && inbox.size() === 0;
  // Everything that waited was judged otherwise, such as by a pause.
  if (isHoldOver) ledgers.standing.hold = undefined;
  if (alarm.isRinging()) prune(watch, Date.now());
  if (isHoldOver || alarm.isRinging()) showDetails(watch);
  alarm.silence();
}

async function tellOthers(watch: Watch): Promise<void> {
  const { ledgers, inbox } = watch;
  const now = Date.now();
  ledgers.notices.addDigests(now);
  const over = inbox.hasPaused() ? [] : ledgers.alerts.takeOver(now);
  ledgers.notices.addResolved(over, now);
  if (over.length > 0) showDetails(watch);
  await tell(ledgers);
}
