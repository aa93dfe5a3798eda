import { deepStrictEqual, strictEqual } from 'node:assert';
import { Webhook } from 'standardwebhooks';
import type { Mail } from '#adapters/mail/mail.js';
import { mailParts } from '../support/mail-parts.js';
import type { StoryRun } from './run-story.js';
import { PAGERDUTY_KEY, WEBHOOK_SECRET } from './story.js';
import { writeMessages, type Written } from './write-messages.js';

/** Fails unless what stood at the receivers is, to the letter, what the renderers make of what was recorded. */
export function checkReceived({ recorded, received, setting }: StoryRun): void {
  const written = Object.values(writeMessages(recorded, setting));
  const all = <Key extends 'mails' | 'slack' | 'pagerduty' | 'webhook' | 'inbox'>(key: Key) =>
    written.flatMap((one) => one[key] as Written[Key][number][]) as Written[Key];

  sameInAnyOrder(received.mails.map(toldByMail), all('mails').map(toldByMailWritten));
  sameInAnyOrder(
    received.slack.map(({ body }) => body),
    all('slack').map((message) => JSON.stringify(message)),
  );
  sameInAnyOrder(
    received.pagerduty.map(({ body }) => body),
    all('pagerduty').map((event) => JSON.stringify({ routing_key: PAGERDUTY_KEY, ...event })),
  );
  for (const { body, headers } of received.webhook) {
    new Webhook(WEBHOOK_SECRET).verify(body, headers as Record<string, string>);
  }
  sameInAnyOrder(
    received.webhook.map(({ headers, body }) => ({ id: headers['webhook-id'], body })),
    all('webhook').map(({ id, body }) => ({ id, body: JSON.stringify(body) })),
  );
  for (const file of new Set(all('inbox').map((one) => one.file))) {
    const entries = all('inbox').filter((one) => one.file === file);
    sameInAnyOrder(
      received.inbox[file] ?? [],
      entries.map(({ entry }) => entry),
    );
  }
}

type ReceivedMail = StoryRun['received']['mails'][number];

/** What a mail is beside the time it was sent at and the marks between its parts. */
function toldByMail({ from, to, source }: ReceivedMail) {
  const { headers, text, html } = mailParts(source);
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1]?.trim();
  return {
    from,
    to,
    messageId: header('Message-ID'),
    thread: [header('In-Reply-To'), header('References')],
    listId: header('List-Id'),
    effectKey: header('X-Mesh-Effect-Key'),
    text: text.trimEnd(),
    html: html.trimEnd(),
  };
}

function toldByMailWritten({ from, to, messageId, thread, headers, text, html }: Mail): ReturnType<typeof toldByMail> {
  return {
    from: from.address,
    to: [to.address],
    messageId,
    thread: [thread, thread],
    listId: headers['List-Id'],
    effectKey: headers['X-Mesh-Effect-Key'],
    text: text.trimEnd(),
    html: html.trimEnd(),
  };
}

function sameInAnyOrder<T>(received: T[], written: T[]): void {
  strictEqual(received.length, written.length);
  const sorted = (list: T[]) => list.map((one) => JSON.stringify(one)).sort();
  deepStrictEqual(sorted(received), sorted(written));
}
