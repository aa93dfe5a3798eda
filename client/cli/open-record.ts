import { readSettings } from '#contract/settings.js';
import { type EventRecord, openEventRecord } from '../event-record.js';

/** Opens the record of this machine, does the work, and closes it whatever came of it. */
export async function withRecord<T>(work: (record: EventRecord) => Promise<T>): Promise<T> {
  const record = openEventRecord(readSettings(process.env).settings.home);
  try {
    return await work(record);
  } finally {
    await record.close();
  }
}
