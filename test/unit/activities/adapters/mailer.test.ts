import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFileMailer, createSmtpMailer, type Mail } from '../../../../activities/adapters/mailer.js';
import { type MailServer, startMailServer } from '../../../support/mail-server.js';

let folder: string;
let server: MailServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mesh-mailer-'));
  server = await startMailServer();
});

afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const mail = (more: Partial<Mail> = {}): Mail => ({
  effectKey: 'remediation/t/r/e/tell/ada',
  threadKey: 'r/s-1',
  timeoutMs: 1_000,
  from: { name: 'Mesh', address: 'mesh@example.com' },
  recipient: { name: 'ada', address: 'ada@example.com' },
  message: { subject: 'Something broke', text: 'Look at it' },
  ...more,
});

test('hostile names and subjects add no recipient and no header', async () => {
  const mailer = createSmtpMailer(server.url);
  const hostile = 'x\r\nBcc: evil@example.com, group: <evil@example.com>;';

  const answer = await mailer.send(
    mail({ recipient: { name: hostile, address: 'ada@example.com' }, message: { subject: hostile, text: hostile } }),
  );
  mailer.close();

  expect(answer).toMatchObject({ sent: true });
  expect(server.mails.map(({ to }) => to)).toEqual([['ada@example.com']]);
  expect(server.mails[0]?.source.split('\r\n\r\n')[0]).not.toMatch(/^Bcc:/im);
});

test.each([
  [550, true],
  [451, false],
])('a recipient refused with %i is final: %s', async (code, isFinal) => {
  server.refuse.set('ada@example.com', code);
  const mailer = createSmtpMailer(server.url);

  const answer = await mailer.send(mail());
  mailer.close();

  expect(answer).toMatchObject({ sent: false, isFinal });
});

test('a mail written twice is one file, with the same Message-ID and thread', async () => {
  const mailer = createFileMailer(folder);

  await mailer.send(mail());
  const [file = ''] = await readdir(folder);
  const first = await readFile(join(folder, file), 'utf8');
  await mailer.send(mail());

  expect(await readdir(folder)).toEqual([file]);
  const id = /^Message-ID: .*$/m;
  expect(id.exec(await readFile(join(folder, file), 'utf8'))?.[0]).toBe(id.exec(first)?.[0]);
  expect(first).toMatch(/^References: <.*\.thread@/m);
  expect(first).toContain('Auto-Submitted: auto-generated');
});
