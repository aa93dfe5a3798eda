import type { DeliveryRecord } from '#contract/remediation.js';

/** Who has got a message by what one run or several have on record, each once. */
export function deliveredIn(records: DeliveryRecord[]): DeliveryRecord[] {
  const delivered = records.filter(({ status }) => status === 'delivered');
  return [...new Map(delivered.map((record) => [record.delivery, record])).values()];
}
