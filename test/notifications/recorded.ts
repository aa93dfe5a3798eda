import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import type { NotifyPlan } from '#contract/actions/notify-team/schema.js';
import type { ActionRequest } from '#contract/activities.js';
import type { DigestNotice, ResolveNotice } from '#contract/notice.js';
import type { DeliveryRequest } from '#contract/notification.js';

export type Told = Omit<DeliveryRequest, 'message'>;

/** What workflows asked for in a run of the story: all that a message is made of, before it is written. */
export interface Recorded {
  incident: { asked: ActionRequest<NotifyPlan>; deliveries: Told[] };
  hostile: { asked: ActionRequest<NotifyPlan>; deliveries: Told[] };
  digest: { asked: DigestNotice; deliveries: Told[] };
  resolved: { asked: ResolveNotice; deliveries: Told[] };
}

const FILE = fileURLToPath(new URL('recorded.json', import.meta.url));

export async function readRecorded(): Promise<Recorded> {
  return JSON.parse(await readFile(FILE, 'utf8')) as Recorded;
}

export async function writeRecorded(recorded: Recorded): Promise<void> {
  await writeFile(FILE, await format(JSON.stringify(recorded), { parser: 'json', printWidth: 120 }));
}
