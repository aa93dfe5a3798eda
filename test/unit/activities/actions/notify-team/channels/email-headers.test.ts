import fc from 'fast-check';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFileMailer } from '#adapters/mail/file-mailer.js';
import { createSmtpMailer } from '#adapters/mail/smtp-mailer.js';
import type { Mailer } from '#adapters/mail/mail.js';
import { renderMail } from '#activities/actions/notify-team/channels/email/channel.js';
import type { DeliveryRequest } from '#contract/notification.js';
import { hostileText } from '#test/support/hostile-texts.js';
import { mailParts } from '#test/support/mail-parts.js';
import { type MailServer, startMailServer } from '#test/support/mail-server.js';
import { aDelivery, aMeshConfig, aMessage } from '#test/support/notifications.js';

let folder: string;
let server: MailServer;
let smtp: Mailer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mesh-mails-'));
  server = await startMailServer();
  smtp = createSmtpMailer(server.url);
});

afterAll(async () => {
  smtp.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const CONFIG = aMeshConfig({ notify: { fromName: 'Mesh, the "first"', fromAddress: 'mesh@mail.example.com' } });
const MEMBER = { name: 'ada', email: 'ada@example.com' };

function aMail(request: Partial<DeliveryRequest> = {}, { member = MEMBER, team = 'ops' } = {}) {
  const channel = { type: 'email' as const, name: 'email' };
  return renderMail({ channel, team, member, config: CONFIG, request: aDelivery(request) });
}

async function received(request: Partial<DeliveryRequest> = {}, names: Parameters<typeof aMail>[1] = {}) {
  server.mails.length = 0;
  expect(await smtp.send(aMail(request, names), new AbortController().signal)).toMatchObject({ delivered: true });
  const [mail] = server.mails;
  if (mail === undefined || server.mails.length > 1) throw new Error(`${server.mails.length} mails instead of one`);
  return { ...mail, ...mailParts(mail.source) };
}

const HEADER_NAMES = [
  'Auto-Submitted',
  'Content-Type',
  'Date',
  'From',
  'In-Reply-To',
  'List-ID',
  'MIME-Version',
  'Message-ID',
  'References',
  'Subject',
  'To',
  'X-Auto-Response-Suppress',
  'X-Mesh-Effect-Key',
  'X-Mesh-Kind',
  'X-Mesh-Rule',
  'X-Mesh-Tenant',
];

const namesIn = (headers: string) => headers.split('\r\n').map((line) => line.split(':')[0]);

test('the envelope is the configured sender and member, and no header is added, whatever texts say', async () => {
  const texts = fc.record({
    subject: hostileText().map((text) => `s${text}`),
    body: hostileText(),
    rule: hostileText().map((text) => `r${text}`),
    name: hostileText(),
    team: hostileText(),
    key: hostileText().map((text) => `k${text}`),
  });
  await fc.assert(
    fc.asyncProperty(texts, async ({ subject, body, rule, name, team, key }) => {
      const message = aMessage({ subject, body, rule, error: body, facts: [{ label: 'x', value: subject }] });
      const mail = await received({ message, effectKey: key, threadKey: key }, { member: { ...MEMBER, name }, team });

      expect(mail).toMatchObject({ from: 'mesh@mail.example.com', to: ['ada@example.com'] });
      expect(namesIn(mail.headers).sort()).toEqual(HEADER_NAMES);
    }),
    { numRuns: 25, seed: 5 },
  );
});

test('every line of a mail is short enough for SMTP, whatever keys and rules are like', async () => {
  const long = 'x'.repeat(3_000);

  const { source } = await received({
    message: aMessage({
      subject: long,
      rule: long,
      body: long,
      error: long,
      links: [{ text: 'run', url: `https://x/${long}` }],
    }),
    effectKey: long,
  });

  expect(Math.max(...source.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
});

test('the subject is one line of what is visible', async () => {
  const { headers } = await received({ message: aMessage({ subject: ' two\r\nlines\tand \u202ehidden\u0007 ' }) });

  expect(headers).toMatch(/^Subject: two lines and \\u202ehidden\\u0007$/m);
});

test('a long subject is cut', () => {
  const { subject } = aMail({ message: aMessage({ subject: 'x'.repeat(500) }) });

  expect(subject).toHaveLength(120);
  expect(subject.endsWith('…')).toBe(true);
});

test('mail programs are told what it is, and which thread it belongs to', async () => {
  const first = await received({ effectKey: 'one', threadKey: 'incident' });
  const second = await received({ effectKey: 'two', threadKey: 'incident' });
  const other = await received({ effectKey: 'three', threadKey: 'another incident' });

  const header = (mail: { headers: string }, name: string) =>
    new RegExp(`^${name}: (.*)$`, 'm').exec(mail.headers)?.[1];
  expect(header(first, 'Auto-Submitted')).toBe('auto-generated');
  expect(header(first, 'List-ID')).toBe('<ops.teams.mesh.mail.example.com>');
  expect(header(first, 'Message-ID')).toMatch(/^<[0-9a-f]{32}@mail\.example\.com>$/);
  expect(header(first, 'References')).toMatch(/^<[0-9a-f]{32}\.thread@mail\.example\.com>$/);
  expect(header(first, 'In-Reply-To')).toBe(header(first, 'References'));
  expect(header(second, 'References')).toBe(header(first, 'References'));
  expect(header(second, 'Message-ID')).not.toBe(header(first, 'Message-ID'));
  expect(header(other, 'References')).not.toBe(header(first, 'References'));
});

test('teams whose names differ only in what an id cannot hold are different lists', () => {
  const ids = ['on call', 'on-call', 'On-Call', '当番', '夜番'].map((team) => aMail({}, { team }).headers['List-Id']);

  expect(new Set(ids).size).toBe(5);
  for (const id of ids) expect(id).toMatch(/^<[a-z0-9-]+\.teams\.mesh\.mail\.example\.com>$/);
});

test('the same parcel is the same mail', () => {
  expect(aMail()).toEqual(aMail());
});

test('without a mail server the mail is a file that a mail program opens, and a second attempt is the same file', async () => {
  const mailer = createFileMailer(folder);

  expect(await mailer.send(aMail(), new AbortController().signal)).toEqual({
    delivered: true,
    isFile: true,
    detail: `mails are files in ${folder}, as mesh.yaml names no notify.smtp`,
  });
  await mailer.send(aMail(), new AbortController().signal);
  await mailer.send(aMail({ effectKey: 'another' }), new AbortController().signal);
  mailer.close();

  const files = await readdir(folder);
  expect(files).toHaveLength(2);
  const { headers, text } = mailParts(await readFile(join(folder, files[0] ?? ''), 'utf8'));
  expect(headers).toContain('To: ada <ada@example.com>');
  expect(text).toContain('Look at it');
});

test('a folder that cannot be written to is tried again', async () => {
  const mailer = createFileMailer('/dev/null/mails');

  expect(await mailer.send(aMail(), new AbortController().signal)).toMatchObject({ delivered: false, isFinal: false });
  mailer.close();
});
