import type { NotificationDraft } from '#contract/notification.js';
import type { DeliveryRecord } from '#contract/remediation.js';
import type { Outcome } from '../action-run.js';

/** There is nobody to tell; in a run before there may have been. */
export function outcomeOfNone(
  { reason, note }: Extract<NotificationDraft, { status: 'skipped' }>,
  delivered: DeliveryRecord[],
): Outcome {
  return {
    status: 'skipped',
    reason,
    ...(note !== undefined && { detail: note }),
    attempts: 1,
    ...(delivered.length > 0 && { deliveries: delivered }),
  };
}

/** Executed when everyone has got it, be it as a file; else who has not, and why. */
export function outcomeOfDeliveries(deliveries: DeliveryRecord[], note: string | undefined): Outcome {
  const attempts = Math.max(1, ...deliveries.map((delivery) => delivery.attempts));
  const missed = deliveries.filter(({ status }) => status === 'failed' || status === 'aborted');
  if (missed.length > 0) {
    const who = missed.map(({ recipient, channel, error, status }) => `${recipient} by ${channel}: ${error ?? status}`);
    const isFailed = missed.some(({ status }) => status === 'failed');
    // Of one that was aborted there may have been more than of all others.
    const isCounted = isFailed || missed.every((delivery) => delivery.attempts > 0);
    return {
      status: isFailed ? 'failed' : 'aborted',
      reason: `not delivered to ${who.join('; ')}`,
      ...(note !== undefined && { detail: note }),
      attempts: isCounted ? attempts : 0,
      deliveries,
    };
  }
  const delivered = recipientsOf(deliveries, 'delivered');
  const written = recipientsOf(deliveries, 'written');
  if (delivered + written === 0) {
    const reasons = [...new Set(deliveries.flatMap(({ error }) => error ?? []))];
    const reason = reasons.join('; ');
    return { status: 'skipped', reason, ...(note !== undefined && { detail: note }), attempts, deliveries };
  }
  const how = [...new Set(deliveries.flatMap(({ detail }) => detail ?? []))];
  const said = [
    ...(delivered > 0 ? [`Team notification sent to ${delivered} recipient(s)`] : []),
    ...(written > 0 ? [`Team notification written to a file for ${written} recipient(s)`] : []),
    ...how,
    ...(note === undefined ? [] : [note]),
  ];
  return { status: 'executed', detail: said.join('; '), attempts, deliveries };
}

function recipientsOf(deliveries: DeliveryRecord[], status: DeliveryRecord['status']): number {
  return new Set(deliveries.filter((one) => one.status === status).map(({ recipient }) => recipient)).size;
}
