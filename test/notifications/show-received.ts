import { Webhook } from 'standardwebhooks';
import { dumpOf } from '#activities/actions/notify-team/channels/slack/channel.js';
import { fence } from './fence.js';
import { WEBHOOK_SECRET } from './story.js';
import type { Written } from './write-messages.js';

// What a receiver got, in Markdown: the first of several that differ only in who got them.

export function showMail([mail]: Written['mails']): string {
  if (!mail) throw new Error('no mail');
  const { from, to, subject, messageId, thread, headers, text } = mail;
  const lines = [
    `From: ${from.name} <${from.address}>`,
    `To: ${to.name} <${to.address}>`,
    `Subject: ${subject}`,
    `Message-ID: ${messageId}`,
    `In-Reply-To: ${thread}`,
    `References: ${thread}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return fence('text', `${lines.join('\n')}\n\n${text}`);
}

export function showSlack([message]: Written['slack']): string {
  if (!message) throw new Error('no message to Slack');
  return fence('text', dumpOf(message));
}

const MAX_TEXT_CHARS = 100;

export function showSlackJson([message]: Written['slack']): string {
  const short = JSON.stringify(message, (_key, value: unknown) =>
    typeof value === 'string' && value.length > MAX_TEXT_CHARS ? `${value.slice(0, MAX_TEXT_CHARS)}…` : value,
  );
  return fence('json', short);
}

export function showPagerDuty([event]: Written['pagerduty']): string {
  return fence('json', JSON.stringify({ routing_key: '…', ...event }));
}

export function showWebhook([sent]: Written['webhook'], at: number): string {
  if (!sent) throw new Error('no webhook');
  const signature = new Webhook(WEBHOOK_SECRET).sign(sent.id, new Date(at), JSON.stringify(sent.body));
  const headers = [
    'Content-Type: application/json',
    `Webhook-Id: ${sent.id}`,
    `Webhook-Timestamp: ${at / 1_000}`,
    `Webhook-Signature: ${signature}`,
  ];
  return `${fence('text', headers.join('\n'))}\n\n${fence('json', JSON.stringify(sent.body))}`;
}

export function showEntry([sent]: Written['inbox']): string {
  if (!sent) throw new Error('no entry in an inbox');
  const { text, ...rest } = sent.entry;
  return `${fence('json', JSON.stringify({ ...rest, text: '…' }))}\n\nIts text:\n\n${fence('text', text)}`;
}
