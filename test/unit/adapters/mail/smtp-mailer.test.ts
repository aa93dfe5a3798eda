import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSmtpMailer, needsTls } from '#adapters/mail/smtp-mailer.js';
import type { Mail, Mailer } from '#adapters/mail/mail.js';
import { renderMail } from '#activities/actions/notify-team/channels/email/channel.js';
import { eventually } from '#test/support/eventually.js';
import { type MailServer, startMailServer } from '#test/support/mail-server.js';
import { aDelivery, aMeshConfig } from '#test/support/notifications.js';

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

function aMail(effectKey = 'a key', name = 'ada'): Mail {
  const config = aMeshConfig();
  const member = { name, email: `${name}@example.com` };
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

  expect(await send()).toMatchObject({ delivered: false, isFinal: false, mayHaveArrived: true });
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
  server.always.set('bob@example.com', 'hang');
  const hanging = new AbortController();
  const inTheWay = Array.from({ length: 10 }, (_, n) => mailer.send(aMail(`hanging ${n}`, 'bob'), hanging.signal));
  await eventually('ten connections', () => (server.connections() === 10 ? true : undefined));
  const waiting = new AbortController();

  const late = mailer.send(aMail('waiting'), waiting.signal);
  await new Promise(setImmediate);
  waiting.abort();

  expect(await late).toMatchObject({ delivered: false, isFinal: false });
  expect(await late).not.toHaveProperty('mayHaveArrived');
  hanging.abort();
  await Promise.all(inTheWay);
  expect(await send(aMail('last'))).toMatchObject({ delivered: true });
  expect(server.mails).toHaveLength(1);
});

test('mails that hang at a server leave their connections to others only when they end, and there are ten', async () => {
  server.always.set('bob@example.com', 'silent');
  const hanging = new AbortController();
  const inTheWay = Array.from({ length: 9 }, (_, n) => mailer.send(aMail(`hanging ${n}`, 'bob'), hanging.signal));
  await eventually('nine mails', () => (server.mails.length === 9 ? true : undefined));

  for (const key of ['1', '2', '3']) expect(await send(aMail(key))).toMatchObject({ delivered: true });

  expect(server.connections()).toBe(10);
  hanging.abort();
  expect(await Promise.all(inTheWay)).toMatchObject(inTheWay.map(() => ({ delivered: false, mayHaveArrived: true })));
});

test('many mails at a time share the connections, and all are taken', async () => {
  const keys = Array.from({ length: 40 }, (_, n) => `key ${n}`);

  const answers = await Promise.all(keys.map((key) => send(aMail(key))));

  expect(new Set(answers.map(({ delivered }) => delivered))).toEqual(new Set([true]));
  expect(server.mails).toHaveLength(40);
  expect(server.connections()).toBeLessThanOrEqual(10);
});

describe('a server that has the whole mail', () => {
  test('may take minutes for its answer: nothing on the way ends the wait', async () => {
    const limits = vi.spyOn(Socket.prototype, 'setTimeout');
    onTestFinished(() => limits.mockRestore());
    const patient = createSmtpMailer(server.url, { handoverMs: 3_000 });
    onTestFinished(() => patient.close());
    server.script.push('late');

    const sending = patient.send(aMail(), new AbortController().signal);
    await eventually('the mail', () => (server.mails.length === 1 ? true : undefined));
    // Longer than the mail may take to be handed over.
    await new Promise((resolve) => setTimeout(resolve, 3_200));
    server.answerLate();

    expect(await sending).toMatchObject({ delivered: true });
    // Of its own side of the connection, as it stood in the end.
    const { calls, contexts } = limits.mock;
    const last = contexts.findLastIndex((socket) => String((socket as Socket).remotePort) === new URL(server.url).port);
    expect(calls[last]?.[0]).toBeGreaterThanOrEqual(600_000);
  });

  test('and does not answer may have taken it, and the reason says so', async () => {
    server.script.push('silent');
    const ended = new AbortController();

    const sending = mailer.send(aMail(), ended.signal);
    await eventually('the mail', () => (server.mails.length === 1 ? true : undefined));
    ended.abort();

    expect(await sending).toMatchObject({
      delivered: false,
      isFinal: false,
      mayHaveArrived: true,
      reason: expect.stringMatching(/^Mail was handed over, and the server did not say whether it took it: /) as string,
    });
  });
});

test('a server that does not take a mail is left soon, and nothing has arrived', async () => {
  const hasty = createSmtpMailer(server.url, { handoverMs: 200 });
  onTestFinished(() => hasty.close());
  server.script.push('hang');

  expect(await hasty.send(aMail(), new AbortController().signal)).toEqual({
    delivered: false,
    reason: 'Mail could not be handed over within 200ms',
    isFinal: false,
  });
  expect(server.mails).toHaveLength(0);
});

test.each([
  ['smtp://mesh:pass@mail.example.com', true],
  ['smtp://mesh:pass@10.0.0.7:587', true],
  ['smtp://mesh:pass@127.example.com', true],
  ['smtp://mesh:pass@mail.example.com?starttls=optional', false],
  ['smtp://mail.example.com', false],
  ['smtp://mail.example.com?starttls=required', true],
  ['smtps://mesh:pass@mail.example.com', false],
  ['smtp://mesh:pass@127.0.0.1:25', false],
  ['smtp://mesh:pass@[::1]:25', false],
  ['smtp://mesh:pass@localhost', false],
])('%s must turn to TLS before it goes on: %s', (url, isNeeded) => {
  expect(needsTls(new URL(url))).toBe(isNeeded);
});

test('a login is never shown to a server that offers no TLS, and the mail waits until that is mended', async () => {
  const passwords: string[] = [];
  const plain = await startMailServer({ password: 'r1ght p@ss', onPassword: (password) => passwords.push(password) });
  // The address of every interface is none of the loopback addresses, and leads to this machine.
  const url = plain.url.replace('smtp://127.0.0.1', 'smtp://mesh:r1ght%20p%40ss@0.0.0.0');
  const [strict, trusting] = [createSmtpMailer(url), createSmtpMailer(`${url}?starttls=optional`)];

  const refused = await strict.send(aMail(), new AbortController().signal);
  const shown = [...passwords];
  const sent = await trusting.send(aMail(), new AbortController().signal);
  for (const one of [strict, trusting]) one.close();
  await plain.close();

  expect(refused).toMatchObject({ delivered: false, isFinal: false });
  expect(refused).toHaveProperty('reason', expect.stringMatching(/^Mail was not sent without TLS: /));
  expect(shown).toEqual([]);
  expect(sent).toMatchObject({ delivered: true });
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
