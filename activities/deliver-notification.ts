import { Context } from '@temporalio/activity';
import type { ActionActivities, Delivery } from '../contract/activities.js';
import type { Mail, MailAnswer, Mailer } from './adapters/mailer.js';
import { attempt, failure } from './fail.js';
import { withHeartbeat } from './heartbeat.js';
import type { World } from './index.js';
import { loadConfig } from './load-config.js';

/** Brings one message to one person. Tried again until the mail server has taken it or refused it for good. */
export function makeDeliverNotification({
  config,
  mailer,
}: Pick<World, 'config' | 'mailer'>): ActionActivities['deliverNotification'] {
  return async (delivery) => {
    const { notify } = await loadConfig(config);
    const mail = { ...delivery, from: { name: notify.fromName, address: notify.fromAddress } };
    const answer = await withHeartbeat(() => sendInTime(mailer, mail, delivery));
    if (answer.sent) return { status: 'executed', detail: answer.how, attempts: attempt() };
    throw failure({
      type: answer.isFinal ? 'mail-refused' : 'mail-failed',
      message: answer.reason,
      isFinal: answer.isFinal,
    });
  };
}

/** SMTP knows no cancelling: what was handed to the server in that moment may still arrive, with the same Message-ID. */
async function sendInTime(mailer: Mailer, mail: Mail, { timeoutMs }: Delivery): Promise<MailAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<MailAnswer>((resolve) => {
    const reason = `Mail was not taken within ${timeoutMs}ms`;
    timer = setTimeout(() => resolve({ sent: false, reason, isFinal: false }), timeoutMs);
  });
  try {
    return await Promise.race([mailer.send(mail), timeout, Context.current().cancelled]);
  } finally {
    clearTimeout(timer);
  }
}
