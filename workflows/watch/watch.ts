import { CancellationScope, condition, continueAsNew } from '@temporalio/workflow';
import { listen, pause } from './messages.js';
import { factsOf, openWatch, prune, saveWatch, type Watch, type WatchRunInput } from './open-watch.js';
import { isIdleForGood, isTimeForNextRun, nextWake } from './schedule.js';
import { hasNews, hasWork, takeTurn } from './stages/index.js';
import { hasToTell } from './stages/tell.js';
import { showDetails } from './view.js';

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

async function keepWatch(input: WatchRunInput, cancelRequested: Promise<never>): Promise<void> {
  const watching = openWatch(input, Date.now());
  const { ledgers, inbox, run } = watching;
  listen(watching);
  cancelRequested.catch(() => {
    run.isCancelled = true;
    pause(watching, 'cancellation was requested; send the signal resume to go on');
  });
  showDetails(watching);

  for (;;) {
    if (!isAwake(watching)) {
      setAlarm(watching);
      await condition(() => isAwake(watching));
    }
    await takeTurn(watching);
    if (isIdleForGood(ledgers, factsOf(watching), Date.now())) return;
    if (shouldContinueAsNew(watching)) {
      // Under steady load runs are shorter than the steps in which the alarm prunes: without this it would never happen.
      prune(watching, Date.now());
      await continueAsNew<typeof watch>({ ...input, saved: saveWatch(ledgers, inbox.items()) });
    }
  }
}

function isAwake(watching: Watch): boolean {
  if (hasWork(watching) || hasNews(watching) || watching.alarm.isRinging()) return true;
  const { hold } = watching.ledgers.standing;
  // A hold is over for good, or in this run: what arrives is not handled meanwhile, and makes the history grow all the same.
  // A run that was cancelled ends also when nothing else is to be done: the next cancel may come before that.
  const mayEnd = hold !== undefined || watching.run.isCancelled;
  return hold?.isOver === true || (mayEnd && shouldContinueAsNew(watching));
}

function setAlarm(watching: Watch): void {
  const { at, summary } = nextWake(watching.ledgers, factsOf(watching), Date.now());
  watching.alarm.ringBy(at, summary);
}

/** Not with news left that others are to be told: ends of agents are not carried over. */
function shouldContinueAsNew(watching: Watch): boolean {
  return isTimeForNextRun(watching.ledgers, factsOf(watching), Date.now()) && !hasToTell(watching.ledgers);
}
