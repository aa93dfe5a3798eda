import type { NotificationDraft } from '../../../contract/notification.js';
import type { DeliveryRecord } from '../../../contract/remediation.js';
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

/** Executed when everyone has got it; else who has not, and why. */
export function outcomeOfDeliveries(deliveries: DeliveryRecord[], note: string | undefined): Outcome {
  const attempts = Math.max(1, ...deliveries.map((delivery) => delivery.attempts));
  const missed = deliveries.filter(({ status }) => status !== 'delivered');
  if (missed.length > 0) {
    const who = missed.map(({ recipient, channel, error, status }) => `${recipient} by ${channel}: ${error ?? status}`);
    return {
      status: missed.some(({ status }) => status === 'failed') ? 'failed' : 'aborted',
      reason: `not delivered to ${who.join('; ')}`,
      ...(note !== undefined && { detail: note }),
      attempts,
      deliveries,
    };
  }
  const recipients = new Set(deliveries.map(({ recipient }) => recipient));
  const how = [...new Set(deliveries.flatMap(({ detail }) => detail ?? []))];
  const said = [
    `Team notification sent to ${recipients.size} recipient(s)`,
    ...how,
    ...(note === undefined ? [] : [note]),
  ];
  return { status: 'executed', detail: said.join('; '), attempts, deliveries };
}
