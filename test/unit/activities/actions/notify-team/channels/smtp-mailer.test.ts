import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSmtpMailer } from '../../../../../../activities/actions/notify-team/channels/email/adapters/smtp-mailer.js';
import type { Mail, Mailer } from '../../../../../../activities/actions/notify-team/channels/email/mail.js';
import { renderMail } from '../../../../../../activities/actions/notify-team/channels/email/render.js';
import { eventually } from '../../../../../support/eventually.js';
import { type MailServer, startMailServer } from '../../../../../support/mail-server.js';
import { aDelivery, aMeshConfig } from '../../../../../support/notifications.js';

let server: MailServer;
let mailer: Mailer;

beforeEach(async () => {
  server = await startMailServer();
  mailer = createSmtpMailer(server.url);
});

afterEach(async () => {
  mailer.close();
  await server.close();
});

function aMail(effectKey = 'a key'): Mail {
  const config = aMeshConfig();
  const member = { name: 'ada', email: 'ada@example.com' };
  const channel = { type: 'email' as const, name: 'email' };
  return renderMail({ channel, team: 'ops', member, config, request: aDelivery({ effectKey }) });
}

const send = (mail = aMail()) => mailer.send(mail, new AbortController().signal);

test('several mails share a connection', async () => {
  for (const key of ['1', '2', '3']) expect(await send(aMail(key))).toMatchObject({ delivered: true });

  expect(server.mails).toHaveLength(3);
  expect(server.connections()).toBe(1);
});

test.each([
  [421, false],
  [450, false],
  [451, false],
  [550, true],
  [554, true],
])('a mail refused with %i is final: %s, and the next one is taken', async (code, isFinal) => {
  server.script.push(code);

  const answer = await send();

  expect(answer).toMatchObject({ delivered: false, isFinal });
  expect(answer).toHaveProperty('reason', expect.stringContaining(String(code)));
  expect(await send()).toMatchObject({ delivered: true });
  expect(server.mails).toHaveLength(1);
});

test('a recipient who is refused is named by the server, and its code decides', async () => {
  server.refuse.set('ada@example.com', 550);

  expect(await send()).toMatchObject({ delivered: false, isFinal: true });
});

test('a connection that is cut after the mail was taken is no proof: the mail comes again with the same Message-ID', async () => {
  server.script.push('drop');

  expect(await send()).toMatchObject({ delivered: false, isFinal: false });
  expect(await send()).toMatchObject({ delivered: true });

  const ids = server.mails.map(({ source }) => /^Message-ID: (.*)$/m.exec(source)?.[1]);
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(1);
});

test('a server that is down is not final, and is used again as soon as it is up', async () => {
  await send();
  await server.down();

  expect(await send()).toMatchObject({ delivered: false, isFinal: false });
  expect(await send()).toMatchObject({ delivered: false, isFinal: false });
  await server.up();
  expect(await send()).toMatchObject({ delivered: true });
  expect(server.mails).toHaveLength(2);
});

test('an attempt that is ended lets go of a server that hangs, and its mail never comes', async () => {
  server.script.push('hang');
  const ended = new AbortController();

  const sending = mailer.send(aMail(), ended.signal);
  await eventually('a mail', () => (server.script.length === 0 ? true : undefined));
  ended.abort();

  expect(await sending).toMatchObject({ delivered: false, isFinal: false });
  expect(await send(aMail('another'))).toMatchObject({ delivered: true });
  expect(server.mails).toHaveLength(1);
});

test('a mail that waits for a connection when its time is up is not sent later', async () => {
  server.script.push('hang', 'hang', 'hang');
  const hanging = new AbortController();
  const first = [1, 2, 3].map((key) => mailer.send(aMail(`hanging ${key}`), hanging.signal));
  await eventually('three connections', () => (server.script.length === 0 ? true : undefined));
  const waiting = new AbortController();

  const fourth = mailer.send(aMail('waiting'), waiting.signal);
  waiting.abort();

  expect(await fourth).toMatchObject({ delivered: false, isFinal: false });
  hanging.abort();
  await Promise.all(first);
  expect(await send(aMail('last'))).toMatchObject({ delivered: true });
  expect(server.mails).toHaveLength(1);
});

test('what hangs is ended when the mailer is closed, so that a worker can stop', async () => {
  server.script.push('hang');
  const sending = send();
  await eventually('a mail', () => (server.script.length === 0 ? true : undefined));

  mailer.close();

  expect(await sending).toMatchObject({ delivered: false, isFinal: false });
});

test('a login is shown to the server', async () => {
  const strict = await startMailServer({ password: 'r1ght p@ss' });
  const withLogin = createSmtpMailer(strict.url.replace('smtp://', 'smtp://mesh:r1ght%20p%40ss@'));

  const answer = await withLogin.send(aMail(), new AbortController().signal);
  withLogin.close();
  await strict.close();

  expect(answer).toMatchObject({ delivered: true });
});

test('a login that the server refuses is final, and stands in no reason, even when the server repeats it', async () => {
  const strict = await startMailServer({ password: 'r1ght p@ss' });
  const withLogin = createSmtpMailer(strict.url.replace('smtp://', 'smtp://mesh:wr0ng%20p%40ss@'));

  const answer = await withLogin.send(aMail(), new AbortController().signal);
  withLogin.close();
  await strict.close();

  expect(answer).toMatchObject({ delivered: false, isFinal: true });
  expect(answer).toHaveProperty('reason', expect.stringMatching(/535 who is mesh with \*\*\*/));
  expect(strict.mails).toHaveLength(0);
});
