import { z } from 'zod';
import type { Problem } from '#contract/text/problem.js';
import { flag, milliseconds, strict } from '#contract/text/schema-words.js';
import { isSmtpUrl } from '#contract/text/smtp-url.js';
import { Name, secretOr } from './words.js';

const SERVER = '${env:NAME}, ${file:path}, or an address such as smtp://mail.example.com without a login in it';

const MINUTE_MS = 60_000;
const WEEK_MS = 604_800_000;

/** How long a message that does not get through is tried again, and how often. */
const Retry = strict({
  quickForMs: milliseconds(0, WEEK_MS).default(5 * MINUTE_MS),
  slowEveryMs: milliseconds(1, WEEK_MS).default(5 * MINUTE_MS),
  giveUpAfterMs: milliseconds(1, WEEK_MS).default(24 * 60 * MINUTE_MS),
});
export type NotifyRetry = z.output<typeof Retry>;

export const Notify = strict({
  /** The team for rules and events that name none. */
  defaultTeam: Name.optional(),
  /** Mail server. Left out: mails become files. */
  smtp: secretOr(SERVER, isBareSmtpUrl).optional(),
  /** Sender of the mails. */
  fromName: Name.default('Remediation Mesh'),
  fromAddress: z.email({ error: 'a mail address' }).default('mesh@localhost.localdomain'),
  /** When a cooldown ends that kept something quiet, one message tells what it was. */
  digest: flag().default(false),
  retry: Retry.prefault({}),
});
export type Notify = z.output<typeof Notify>;

/** A login is a secret, and does not belong into a file that is shown and shared. */
function isBareSmtpUrl(written: string): boolean {
  if (!isSmtpUrl(written)) return false;
  const { username, password } = new URL(written);
  return username + password === '';
}

export function notifyProblems({ defaultTeam }: Notify, teams: Record<string, unknown>): Problem[] {
  if (defaultTeam === undefined || Object.hasOwn(teams, defaultTeam)) return [];
  const known = Object.keys(teams).join(', ') || 'none';
  return [{ path: 'notify.defaultTeam', message: `no team is called "${defaultTeam}"`, hint: `teams here: ${known}` }];
}
