import {
  defineQuery,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { NoticeActivities } from '#contract/activities.js';
import { QUERIES, SEARCH_ATTRIBUTES } from '#contract/names.js';
import type { Notice, NoticeInput, NoticeResult } from '#contract/notice.js';
import type { DeliveryRecord, RetryPlan } from '#contract/remediation.js';
import type { Outcome } from './actions/action-run.js';
import { resultOfFailure } from './actions/failure-result.js';
import { composeOptions } from './actions/notify-team/run.js';
import { deliverAll } from './actions/notify-team/deliver-all.js';
import { outcomeOfDeliveries, outcomeOfNone } from './actions/notify-team/outcome-of-deliveries.js';
import { finalFailure } from './final-failure.js';
import type { RunningNews } from './progress.js';
import { code, codeLine, utc } from '#contract/text/markdown.js';
import { wordsOfDoing } from '#contract/story-words.js';
import { plural } from '#contract/text/words.js';
import { meshCommand } from '#contract/text/shell-word.js';
import { describeParts } from './action-parts.js';

/** As for a notify_team action that its rule says nothing of. */
const TIMEOUT_MS = 600_000;
const RETRY: RetryPlan = { initialIntervalMs: 1_000, maxIntervalMs: 30_000 };

/** Sends a message that no single event brought about, and closes as failed when it has not reached everyone. */
export async function notice({ delivered = [], ...input }: NoticeInput): Promise<NoticeResult> {
  let shown: RunningNews = {};
  const onProgress = (news: RunningNews) => {
    shown = news;
    setCurrentDetails(renderNoticeDetails(input, shown));
  };
  setHandler(defineQuery<RunningNews>(QUERIES.progress), () => shown, {
    description: 'The deliveries that are over so far.',
  });
  onProgress({ doing: { is: 'writing' } });

  const { status, ...told } = await send(input, delivered, onProgress);
  const result: NoticeResult = { outcome: status, ...told };
  upsertSearchAttributes([{ key: OUTCOME, value: result.outcome }]);
  setCurrentDetails(renderNoticeDetails(input, { ...shown, doing: undefined }, result));
  // Closes as failed, so that operators see red, with the whole result in the details.
  if (result.outcome === 'failed') throw finalFailure('notice-failed', result.reason ?? 'not delivered', [result]);
  return result;
}

const OUTCOME = defineSearchAttributeKey('MeshOutcome', SEARCH_ATTRIBUTES.MeshOutcome);

async function send(
  input: Notice,
  delivered: DeliveryRecord[],
  onProgress: (news: RunningNews) => void,
): Promise<Outcome> {
  const plan = { name: input.kind, effectKey: input.id, timeoutMs: TIMEOUT_MS, retry: RETRY };
  const { composeNotice } = proxyActivities<NoticeActivities>(composeOptions(plan));
  try {
    const draft = await composeNotice(input);
    if (draft.status === 'skipped') return outcomeOfNone(draft, delivered);
    return outcomeOfDeliveries(await deliverAll(draft, plan, delivered, onProgress), draft.note);
  } catch (error) {
    return resultOfFailure(error);
  }
}

/** What an operator sees beside a notice in the Temporal UI: what it is about, and who has got it. */
function renderNoticeDetails(notice: Notice, news: RunningNews, result?: NoticeResult): string {
  const { deliveries, doing } = news;
  const parts = describeParts({ launches: [], deliveries: result?.deliveries ?? deliveries ?? [] });
  const isToldByParts = result?.deliveries?.some(({ status }) => status === 'failed' || status === 'aborted') === true;
  const why = isToldByParts ? undefined : (result?.reason ?? (doing && wordsOfDoing(doing)));
  const lines = [...(why === undefined ? [] : [codeLine(why, 300)]), ...parts];
  return [
    `### ${result === undefined ? 'Being delivered' : headline(result)}`,
    about(notice),
    lines.map((line) => `- ${line}`).join('\n'),
    result === undefined ? WHILE_RUNNING : whatToDo(notice, result),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const WHILE_RUNNING =
  'Attempts that failed, and why, are under *Pending Activities*. To stop trying: *Request Cancellation* above.';

function whatToDo({ id }: Notice, { outcome }: NoticeResult): string {
  if (outcome !== 'failed' && outcome !== 'aborted') return '';
  return `To tell those who have not got it: ${code(meshCommand('retry', [id]))}`;
}

function headline({ outcome, deliveries = [] }: NoticeResult): string {
  const isWritten = outcome === 'executed' && deliveries.some(({ status }) => status === 'written');
  return isWritten ? 'Done: without a mail server, mails are files' : HEADLINES[outcome];
}

const HEADLINES: Record<NoticeResult['outcome'], string> = {
  executed: 'Done: everyone has got it',
  skipped: 'Done: nobody was told',
  failed: 'Failed: not everyone has got it',
  aborted: 'Aborted by an operator',
};

function about(notice: Notice): string {
  const rule = `rule ${code(notice.rule)}`;
  if (notice.kind === 'resolve') {
    const { event, eventId } = notice.by;
    const { team, channel } = notice.alert;
    return `What ${rule} told ${code(`${team}/${channel}`)} about works again: event ${code(event)} ${code(eventId)} is a success.`;
  }
  const { events, firstAt, lastAt } = notice.suppressed;
  const label = notice.label === undefined ? '' : ` for ${code(notice.label)}`;
  return `A cooldown of ${rule}${label} has ended. It kept ${plural(events, 'event')} quiet, from ${utc(firstAt)} to ${utc(lastAt)}.`;
}
