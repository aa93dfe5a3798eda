import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { failedResult } from '../support/failed-result.js';
import { type HttpTarget, startHttpTarget } from '../support/http-target.js';
import { mailParts } from '../support/mail-parts.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

let mail: MailServer;
let mesh: TestMesh | undefined;

beforeEach(async () => {
  mail = await startMailServer();
});

afterEach(async () => {
  await mesh?.stop();
  await mail.close();
});

const NAMES = ['ada', 'bob', 'carl'];

interface Shortened {
  slowEveryMs?: number;
  recipients?: string[];
  retry?: { maxAttempts: number };
  channels?: Record<string, unknown>[];
  env?: Record<string, string>;
}

/** Times are shortened by the configuration; nothing else is different from a night in operation. */
async function meshThatRetries(giveUpAfterMs: number, more: Shortened = {}): Promise<TestMesh> {
  const { slowEveryMs = 200, recipients = ['*'], channels = [{ type: 'email' }], env = {}, ...asked } = more;
  mesh = await startTestMesh({
    smtpUrl: mail.url,
    env,
    rules: {
      rules: [
        {
          id: 'r',
          trigger: { event: 'TaskCompleted' },
          cooldownMs: 0,
          actions: [{ type: 'notify_team', id: 'tell', recipients, ...asked }],
        },
      ],
    },
    config: {
      teams: { ops: { members: NAMES.map((name) => ({ name, email: `${name}@example.com` })), channels } },
      outbound: { privateHosts: ['127.0.0.1'] },
      notify: { defaultTeam: 'ops', retry: { quickForMs: 0, slowEveryMs, giveUpAfterMs } },
    },
  });
  return mesh;
}

const recipients = () => mail.mails.flatMap(({ to }) => to).sort();

test('a mail server that is down costs nobody the message, and nobody gets it twice', async () => {
  const { report, result, remediation } = await meshThatRetries(60_000);
  await mail.down();
  const [id = ''] = await report({});
  await eventually('three deliveries that were tried again', async () => {
    const { raw } = await remediation('r', id).describe();
    const again = raw.pendingActivities?.filter(({ attempt }) => (attempt ?? 0) > 1);
    return again?.length === 3 ? true : undefined;
  });

  await mail.up();

  const { outcome, actions } = await result('r', id);
  expect(outcome).toBe('executed');
  expect(recipients()).toEqual(NAMES.map((name) => `${name}@example.com`));
  expect(actions[0]?.deliveries).toMatchObject(
    NAMES.map((name) => ({ delivery: `email/${name}`, status: 'delivered', attempts: expect.any(Number) as number })),
  );
});

test('somebody at whom the mail server hangs, and a webhook that hangs, delay nobody, however much there is to send', async () => {
  const [hanging, well] = await Promise.all([startHttpTarget(), startHttpTarget()]);
  onTestFinished(async () => {
    await Promise.all([hanging.close(), well.close()]);
  });
  hanging.answer(() => undefined);
  mail.always.set('bob@example.com', 'hang');
  const signing = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;
  const webhook = (name: string, { url }: HttpTarget) => ({ type: 'webhook', name, url, secret: '${env:SIGNING}' });
  const {
    report,
    remediation,
    mesh: sdk,
  } = await meshThatRetries(60_000, {
    channels: [{ type: 'email' }, webhook('hanging', hanging), webhook('well', well)],
    env: { SIGNING: signing },
  });
  const tasks = Array.from({ length: 6 }, (_, n) => `t-${n}`);
  const ids = await report(...tasks.map((task) => ({ payload: { task_id: task }, session: task })));

  await eventually('the mails to the others and the posts to the other, about each of them', () =>
    recipients().length === 12 && well.requests.length === 6 ? true : undefined,
  );

  expect(new Set(recipients())).toEqual(new Set(['ada@example.com', 'carl@example.com']));
  expect(hanging.requests).toHaveLength(2);
  const rule = await remediation('r', ids[0] ?? '').describe();
  expect(rule.status.name).toBe('RUNNING');
  await Promise.all(ids.map((id) => sdk.abort(remediation('r', id).workflowId)));
});

test('a rule that says how often gets so many attempts, and the record says why there was no other', async () => {
  mail.refuse.set('ada@example.com', 451);
  const { report, result } = await meshThatRetries(60_000, { recipients: ['ada'], retry: { maxAttempts: 3 } });
  const [id = ''] = await report({});

  const { actions } = await failedResult(result('r', id));

  const why = expect.stringMatching(/^gave up after 3 attempts, as the rule says: Mail was not taken: .*451/) as string;
  expect(actions[0]?.deliveries).toMatchObject([{ status: 'failed', attempts: 3, error: why }]);
});

const messageIds = () => mail.mails.map(({ source }) => /^Message-ID: (.*)$/m.exec(source)?.[1]);

test('a mail whose answer is lost comes again under its Message-ID, and the record keeps what went wrong', async () => {
  const { report, result } = await meshThatRetries(60_000, { recipients: ['ada'] });
  mail.script.push('drop');
  const [id = ''] = await report({});

  const { outcome, actions } = await result('r', id);

  expect(outcome).toBe('executed');
  expect([messageIds().length, new Set(messageIds()).size]).toEqual([2, 1]);
  expect(actions[0]?.deliveries).toMatchObject([
    {
      delivery: 'email/ada',
      status: 'delivered',
      attempts: 2,
      error: expect.stringMatching(/^Mail was handed over, and the server did not say whether it took it: /) as string,
    },
  ]);
});

test('a server that never says whether it took a mail gets four copies of it and not hundreds', async () => {
  const { report, result } = await meshThatRetries(60_000, { recipients: ['ada'], slowEveryMs: 5 });
  mail.script.push(...Array.from({ length: 20 }, () => 'drop' as const));
  const [id = ''] = await report({});

  const { actions } = await failedResult(result('r', id));

  expect([messageIds().length, new Set(messageIds()).size]).toEqual([4, 1]);
  expect(actions[0]?.reason).toMatch(
    /^not delivered to ada by email: gave up, so that nobody gets it again and again: 4 attempts may have arrived: /,
  );
});

test('one receiver that always fails delays no other, and gets no second try once it refuses for good', async () => {
  mail.refuse.set('bob@example.com', 451);
  const { report, result, remediation } = await meshThatRetries(60_000);
  const [id = ''] = await report({ payload: { task_id: '1', error: 'too slow' } });

  await eventually('two mails', () => (mail.mails.length === 2 ? true : undefined));
  await eventually('a delivery that was tried again', async () => {
    const { raw } = await remediation('r', id).describe();
    return raw.pendingActivities?.some(({ attempt }) => (attempt ?? 0) > 1) || undefined;
  });
  expect((await remediation('r', id).describe()).status.name).toBe('RUNNING');
  mail.refuse.set('bob@example.com', 550);

  const { actions } = await failedResult(result('r', id));
  expect(recipients()).toEqual(['ada@example.com', 'carl@example.com']);
  expect(actions).toMatchObject([
    {
      status: 'failed',
      reason: expect.stringMatching(/^not delivered to bob by email: Mail was not taken: .*550/) as string,
      deliveries: [
        { delivery: 'email/ada', status: 'delivered', attempts: 1 },
        { delivery: 'email/bob', status: 'failed', error: expect.stringContaining('550') as string },
        { delivery: 'email/carl', status: 'delivered', attempts: 1 },
      ],
    },
  ]);
  expect(actions[0]?.deliveries?.[1]?.attempts).toBeGreaterThan(1);
});

test('a receiver that never gets better is given up when its time is over, with the last error', async () => {
  mail.refuse.set('ada@example.com', 451);
  const { report, result } = await meshThatRetries(1_000);
  const [id = ''] = await report({ agent: 'bob' });

  const { actions } = await failedResult(result('r', id));

  expect(actions[0]?.reason).toMatch(/^not delivered to ada by email: gave up after .*: Mail was not taken: .*451/);
  expect(recipients()).toEqual(['carl@example.com']);
  const { text, html, headers } = mailParts(mail.mails[0]?.source ?? '');
  expect(headers).toMatch(/^Subject: Hook chain r triggered \(TaskCompleted\/failed\)$/m);
  for (const part of [text, html]) expect(part).toContain('npx mesh abort remediation/');
});
