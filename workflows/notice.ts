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
import { composeOptions } from './actions/notify-team/compose-options.js';
import { deliverAll } from './actions/notify-team/deliver-all.js';
import { outcomeOfDeliveries, outcomeOfNone } from './actions/notify-team/outcome-of-deliveries.js';
import { finalFailure } from './final-failure.js';
import { renderNoticeDetails } from './notice-details.js';
import type { RunningNews } from './progress.js';

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
