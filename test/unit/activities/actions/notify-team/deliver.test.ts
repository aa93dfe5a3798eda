import { readdirSync } from 'node:fs';
import { CancelledFailure } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeDeliverNotification } from '#activities/actions/notify-team/activity.js';
import { createMailers, type Mailers } from '#adapters/mail/mailers.js';
import { createPlaces, MAX_AT_RECEIVER, MAX_IN_LINE } from '#activities/actions/notify-team/places.js';
import { createOutbound, type Outbound } from '#adapters/http/create-outbound.js';
import type { World } from '#activities/world.js';
import { defaultsOf } from '#contract/actions/index.js';
import type { ActionReport } from '#contract/activities.js';
import type { DeliveryRequest, OpenAlert } from '#contract/notification.js';
import type { MeshConfig } from '#config/mesh-config.js';
import { eventually } from '#test/support/eventually.js';
import { tempFolder } from '#test/support/temp-folder.js';
import { type HttpTarget, startHttpTarget } from '#test/support/http-target.js';
import { mailingThrough, type MailServer, startMailServer } from '#test/support/mail-server.js';
import { mailParts } from '#test/support/mail-parts.js';
import { aDelivery, aMeshConfig, aMessage, TWO_WITH_MAIL } from '#test/support/notifications.js';

let server: MailServer;
let folder: string;
let mailers: Mailers;
let config: MeshConfig;
let alerts: OpenAlert[];
/** What the watch knows of, as `<tenant> <team> <channel> <key>`. */
let open: string[];
let isAborted: World['workflows']['isCancelRequested'];
let beforeAnswer: () => Promise<void>;

beforeEach(async () => {
  server = await startMailServer();
  folder = tempFolder();
  mailers = createMailers(folder);
  config = withMail();
  alerts = [];
  open = [];
  isAborted = async () => false;
  beforeAnswer = async () => {};
});

afterEach(async () => {
  mailers.close();
  await server.close();
});

function withMail(written: Record<string, unknown> = {}): MeshConfig {
  return aMeshConfig(mailingThrough(server.url, written) as Record<string, unknown>);
}

/** One attempt, as a worker would make it. */
function deliver(
  request: Partial<DeliveryRequest> = {},
  {
    attempt = 1,
    elapsedMs = 0,
    before = {},
    environment = env(attempt, elapsedMs, before),
    variables = {},
    outbound = createOutbound(),
  } = {},
): Promise<ActionReport> {
  return environment.run(makeDeliverNotification(worldOf({ variables, outbound })), aDelivery(request));
}

function worldOf({ variables, outbound }: { variables: Record<string, string>; outbound: Outbound }) {
  return {
    config: { get: async () => ({ available: true as const, value: config, hash: 'h', problems: [] }) },
    redactKeys: [],
    env: variables,
    mailers,
    outbound,
    workflows: {
      async tellWatchOfAlert(_tenant, alert) {
        await beforeAnswer();
        alerts.push(alert);
      },
      isCancelRequested: (id, run) => isAborted(id, run),
      async isAlertOpen(tenant, { team, channel, key }) {
        await beforeAnswer();
        return open.includes(`${tenant} ${team} ${channel} ${key}`);
      },
    } as World['workflows'],
  };
}

function env(attempt = 1, elapsedMs = 0, heartbeatDetails: object = {}): MockActivityEnvironment {
  const info = { attempt, scheduledTimestampMs: Date.now() - elapsedMs, heartbeatDetails };
  return new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
}

async function failureOf(attempt: Promise<unknown>): Promise<ApplicationFailure> {
  const outcome = await attempt.then(
    () => 'delivered',
    (error: unknown) => error,
  );
  if (outcome instanceof ApplicationFailure) return outcome;
  throw new Error(`expected a failure, found ${String(outcome)}`);
}

test('a delivery that arrives says how, and at which attempt', async () => {
  const report = await deliver({}, { attempt: 3 });

  expect(report).toEqual({ status: 'executed', detail: 'mailed through 127.0.0.1', attempts: 3 });
  expect(server.mails.map(({ to }) => to)).toEqual([['ada@example.com']]);
});

test('a mail server that this worker is not told of is a failure that is tried again, and no file', async () => {
  config = aMeshConfig({ notify: { smtp: '${env:MAIL_SERVER}' } });

  const failure = await failureOf(deliver());

  expect(failure).toMatchObject({ type: 'delivery-failed', nonRetryable: false });
  expect(failure.message).toBe('environment variable MAIL_SERVER is not set');
  expect(await deliver({}, { variables: { MAIL_SERVER: server.url }, attempt: 2 })).toMatchObject({ attempts: 2 });
  expect(server.mails).toHaveLength(1);
  expect(readdirSync(folder)).toEqual([]);
});

test('an address that is no mail server is not told: it may hold a password', async () => {
  config = aMeshConfig({ notify: { smtp: '${env:MAIL_SERVER}' } });

  const failure = await failureOf(deliver({}, { variables: { MAIL_SERVER: 'http://me:secret@mail.example.com' } }));

  expect(failure).toMatchObject({ type: 'delivery-failed', nonRetryable: false });
  expect(failure.message).toBe('notify.smtp: expected an address such as smtp://mail.example.com:587');
});

test('without a mail server a mail is a file, which nobody has got', async () => {
  config = aMeshConfig();

  expect(await deliver()).toEqual({
    status: 'executed',
    isFile: true,
    detail: `mails are files in ${folder}, as mesh.yaml names no notify.smtp`,
    attempts: 1,
  });
  expect(readdirSync(folder)).toHaveLength(1);
});

test.each([
  ['soon at first', 1, 0, '1000ms'],
  ['a little later', 4, 20_000, '8000ms'],
  ['every five minutes after a while', 30, 600_000, '300000ms'],
])('a server that says later is asked again: %s', async (_, attempt, elapsedMs, wait) => {
  server.script.push(451);

  const failure = await failureOf(deliver({}, { attempt, elapsedMs }));

  expect(failure).toMatchObject({
    type: 'delivery-failed',
    nonRetryable: false,
    nextRetryDelay: Number(wait.slice(0, -2)),
  });
  expect(failure.message).toMatch(/^Mail was not taken: .*451/);
  expect(failure.details).toEqual([{ attempts: attempt }]);
});

test('a server that refuses for good is asked once', async () => {
  server.script.push(550);

  expect(await failureOf(deliver())).toMatchObject({ type: 'delivery-refused', nonRetryable: true });
});

test('after a day without success the delivery gives up, and says so', async () => {
  server.script.push(421);

  const failure = await failureOf(deliver({}, { attempt: 300, elapsedMs: 86_400_000 - 30_000 }));

  expect(failure).toMatchObject({ type: 'delivery-refused', nonRetryable: true });
  expect(failure.message).toMatch(/^gave up after 23 h 59 min: Mail was not taken: .*421/);
});

test('how long is tried is a matter of the configuration', async () => {
  config = withMail({ notify: { retry: { quickForMs: 0, slowEveryMs: 40, giveUpAfterMs: 60_000 } } });
  server.script.push(451, 451);

  expect(await failureOf(deliver())).toMatchObject({ nextRetryDelay: 40 });
  expect(await failureOf(deliver({}, { elapsedMs: 59_990 }))).toMatchObject({ nonRetryable: true });
});

describe('a mail that may have arrived', () => {
  const LONG_AGO = 3_600_000;

  test('is tried again under the same Message-ID, but not soon and not often', async () => {
    server.script.push('drop', 'drop', 'drop', 'drop');
    const beats: unknown[] = [];
    const tryAgain = (before: object, attempt: number) => {
      const environment = env(attempt, LONG_AGO, before);
      environment.on('heartbeat', (details) => beats.push(details));
      return failureOf(deliver({}, { environment }));
    };

    const failures = [];
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      failures.push(await tryAgain(beats.at(-1) ?? {}, attempt));
    }

    expect(failures.map(({ nextRetryDelay }) => nextRetryDelay)).toEqual([300_000, 1_800_000, 10_800_000, undefined]);
    expect(failures.at(-1)).toMatchObject({ type: 'delivery-refused', nonRetryable: true });
    expect(failures.at(-1)?.message).toMatch(
      /^gave up, so that nobody gets it again and again: 4 attempts may have arrived: Mail was handed over, and /,
    );
    const ids = server.mails.map(({ source }) => /^Message-ID: (.*)$/m.exec(source)?.[1]);
    expect([ids.length, new Set(ids).size]).toEqual([4, 1]);
  });

  test('does not count against those that certainly did not', async () => {
    server.script.push(451);

    const failure = await failureOf(deliver({}, { attempt: 9, elapsedMs: LONG_AGO, before: { perhapsArrived: 3 } }));

    expect(failure).toMatchObject({ type: 'delivery-failed', nextRetryDelay: 300_000 });
  });

  test('is one when the time of an attempt is over after it was handed over', async () => {
    server.script.push('silent');

    const failure = await failureOf(deliver({ timeoutMs: 1_500 }));

    expect(failure).toMatchObject({
      type: 'delivery-failed',
      message: 'sent, and no answer within 1500ms whether it was taken',
      nextRetryDelay: 300_000,
    });
  });
});

test('a mail that is sent long after it was written says so, and speaks of no quiet to come that is over', async () => {
  const now = Date.now();
  const quiet = [{ by: 'cooldown' as const, untilAt: now - 3_600_000 }];
  const message = (writtenAt: number) => aMessage({ at: writtenAt, writtenAt, quiet, outcome: 'failed' });

  await deliver({ message: message(now - 7_200_000) });
  await deliver({ message: message(now - 300_000) });

  const [late = '', soon = ''] = server.mails.map(({ source }) => mailParts(source).text);
  expect(late).toMatch(
    /^Delivered late: written .* UTC, sent .* UTC \(2 h later\)\. It says how things stood then\.$/m,
  );
  expect(late).toMatch(/Rule a-rule was quiet until .* UTC\. That is over: it may have fired again since\./);
  expect(soon).not.toContain('Delivered late');
});

test('what went wrong before is known when it arrives after all', async () => {
  server.script.push(451);
  const environment = env();
  const beats: unknown[] = [];
  environment.on('heartbeat', (details) => beats.push(details));
  const { message } = await failureOf(deliver({}, { environment }));

  const report = await deliver({}, { attempt: 2, before: beats.at(-1) as object });

  expect(report).toMatchObject({ status: 'executed', attempts: 2, lastError: message });
});

describe('a rule that allows so many attempts', () => {
  const retry = { maxAttempts: 3, initialIntervalMs: 1_000, maxIntervalMs: 30_000 };

  test('gets them, and no more', async () => {
    server.script.push(451, 451);

    expect(await failureOf(deliver({ retry }, { attempt: 2 }))).toMatchObject({ type: 'delivery-failed' });
    expect(await failureOf(deliver({ retry }, { attempt: 3 }))).toMatchObject({
      type: 'delivery-refused',
      nonRetryable: true,
      message: expect.stringMatching(/^gave up after 3 attempts, as the rule says: Mail was not taken: /) as string,
      details: [{ attempts: 3 }],
    });
  });

  test('says what was wrong around the last one', async () => {
    beforeAnswer = () => Promise.reject(new Error('the disk is full'));
    const channel = { type: 'pagerduty', routingKey: '${env:PAGER_KEY}', resolveOn: ['task'] };
    config = withMail({ teams: { ops: { ...TWO_WITH_MAIL, channels: [channel] } } });
    const outbound: Outbound = {
      send: async () => ({ kind: 'answered', status: 202, headers: {}, text: '{"status":"success"}' }),
      close: async () => {},
    };
    const request = { delivery: 'pagerduty/ops', channel: 'pagerduty', recipient: 'ops', alert: ALERT, retry };
    const around = { variables: { PAGER_KEY: 'k' }, outbound };

    await expect(deliver(request, { ...around, attempt: 2 })).rejects.toThrow('the disk is full');
    expect(await failureOf(deliver(request, { ...around, attempt: 3 }))).toMatchObject({
      nonRetryable: true,
      message: 'gave up after 3 attempts, as the rule says: the disk is full',
    });
  });

  test('gets no other after the last one, whose worker died', async () => {
    const before = { attempts: 3, lastError: '451 later' };

    expect(await failureOf(deliver({ retry }, { attempt: 4, before }))).toMatchObject({
      type: 'delivery-refused',
      nonRetryable: true,
      message:
        'gave up after 3 attempts, as the rule says: the last one ended with its worker or its time, and may have arrived; before that: 451 later',
      details: [{ attempts: 3 }],
    });
    expect(server.connections()).toBe(0);
  });
});

describe('while others are at the receiver', () => {
  const places = createPlaces({ lineWaitMs: 50 });
  const receiver = 'mail to ada@example.com';
  let taken: ({ leave(): void } | undefined)[];

  beforeEach(async () => {
    const { signal } = new AbortController();
    taken = await Promise.all(Array.from({ length: MAX_AT_RECEIVER }, () => places.take(receiver, signal)));
  });

  afterEach(() => {
    for (const place of taken) place?.leave();
  });

  const deliverThere = (environment: MockActivityEnvironment, request: Partial<DeliveryRequest> = {}) =>
    environment.run(
      makeDeliverNotification(worldOf({ variables: {}, outbound: createOutbound() }), places),
      aDelivery(request),
    );

  test('no attempt is made, so none of those is used up that the rule allows', async () => {
    const retry = { maxAttempts: 1, initialIntervalMs: 60_000, maxIntervalMs: 60_000 };
    // It was busy at the first time too.
    const environment = env(2, 0, { attempts: 0 });
    const beats: unknown[] = [];
    environment.on('heartbeat', (details) => beats.push(details));

    const busy = await failureOf(deliverThere(environment, { retry }));

    const message = 'This worker has other messages for the same receiver under way';
    expect(busy).toMatchObject({ type: 'delivery-failed', nonRetryable: false, message });
    // The second time, and not as the rule asks for its receiver.
    expect(busy).toMatchObject({ nextRetryDelay: 2_000, details: [{ attempts: 0 }] });
    expect(beats.at(-1)).toEqual({ attempts: 0 });
    expect(server.connections()).toBe(0);

    for (const place of taken) place?.leave();
    taken = [];
    expect(await deliverThere(env(3, 0, beats.at(-1) as object), { retry })).toEqual({
      status: 'executed',
      detail: 'mailed through 127.0.0.1',
      attempts: 1,
    });
  });

  test('the next try comes soon, however late it is, and what the receiver said before remains the last error', async () => {
    const nearlyADay = 86_280_000;
    const before = { attempts: 1, lastError: '451 later', perhapsArrived: 1 };
    const environment = env(2, nearlyADay, before);
    const beats: unknown[] = [];
    environment.on('heartbeat', (details) => beats.push(details));

    expect(await failureOf(deliverThere(environment))).toMatchObject({
      nonRetryable: false,
      message: 'This worker has other messages for the same receiver under way; before that: 451 later',
      nextRetryDelay: 1_000,
    });
    expect(beats.at(-1)).toEqual(before);
  });

  test('an abort ends the wait', async () => {
    const environment = env();
    const delivering = deliverThere(environment);

    environment.cancel();

    await expect(delivering).rejects.toBeInstanceOf(CancelledFailure);
    expect(server.connections()).toBe(0);
  });
});

test('a server that hangs is left after the time limit', async () => {
  server.script.push('hang');

  const failure = await failureOf(deliver({ timeoutMs: 1_500 }));

  expect(failure).toMatchObject({ type: 'delivery-failed', message: 'not taken within 1500ms', nonRetryable: false });
  expect(await deliver()).toMatchObject({ status: 'executed' });
  expect(server.mails).toHaveLength(1);
});

test('an abort ends a delivery that hangs, and it is no failure', async () => {
  server.script.push('hang');
  const environment = env();
  const delivering = deliver({}, { environment });
  await eventually('a mail', () => (server.script.length === 0 ? true : undefined));

  environment.cancel();

  await expect(delivering).rejects.toBeInstanceOf(CancelledFailure);
  expect(server.mails).toHaveLength(0);
});

test('what was aborted while no worker was there is not sent, and the record keeps why it had failed before', async () => {
  isAborted = async () => true;

  const failure = await failureOf(deliver({}, { attempt: 3, before: { lastError: '451 later', perhapsArrived: 1 } }));

  expect(failure).toMatchObject({
    type: 'aborted',
    nonRetryable: true,
    details: [{ attempts: 2, lastError: '451 later', perhapsArrived: 1 }],
  });
  expect(server.mails).toHaveLength(0);
});

test.each([1, 7])('good news of what has broken again is not told, at attempt %i', async (attempt) => {
  open = ['default ops email k'];

  expect(await deliver({ closes: 'k' }, { attempt })).toEqual({
    status: 'skipped',
    reason: 'left open: it has been opened again meanwhile',
    attempts: attempt,
  });
  expect(server.mails).toEqual([]);
  expect(await deliver({ closes: 'other' }, { attempt })).toMatchObject({ status: 'executed' });
});

test('an attempt lives while it waits for the answer of the watch', async () => {
  const environment = env();
  // The first heartbeat comes at once; without one the server would take the worker for dead.
  const beat = new Promise<void>((resolve) => environment.once('heartbeat', () => resolve()));
  beforeAnswer = () => beat;

  expect(await deliver({ closes: 'k' }, { environment })).toMatchObject({ status: 'executed' });
});

test('good news is tried again when the watch cannot be asked, and the record says why', async () => {
  beforeAnswer = () => Promise.reject(new Error('no worker answered'));

  const failure = await failureOf(deliver({ closes: 'k' }, { attempt: 2 }));

  expect(failure).toMatchObject({
    type: 'delivery-failed',
    message: 'the watch could not be asked whether it has been opened again: no worker answered',
    nonRetryable: false,
    nextRetryDelay: 2_000,
    details: [{ attempts: 2 }],
  });
  expect(server.connections()).toBe(0);
});

test.each([
  ['team', { teams: { dev: TWO_WITH_MAIL } }, 'mesh.yaml has no team ops'],
  [
    'channel',
    { teams: { ops: { ...TWO_WITH_MAIL, channels: [{ type: 'email', name: 'other' }] } } },
    'team ops has no channel email in mesh.yaml',
  ],
  [
    'member',
    { teams: { ops: { members: [{ name: 'eve', email: 'eve@example.com' }] } } },
    'team ops has no member ada in mesh.yaml',
  ],
  ['address', { teams: { ops: { members: [{ name: 'ada' }] } } }, 'ada is without an email address in mesh.yaml'],
])('nothing is sent once the %s has left the configuration', async (_, written, message) => {
  config = withMail(written);

  const later = await failureOf(deliver({}, { attempt: 20, elapsedMs: 300_000 }));
  expect(later).toMatchObject({ type: 'delivery-refused', nonRetryable: true, message });
  expect(server.connections()).toBe(0);

  // At first it may be this worker that has not got the new file yet.
  const soon = await failureOf(deliver({}, { attempt: 3, elapsedMs: 299_000 }));
  expect(soon).toMatchObject({ type: 'delivery-failed', nonRetryable: false, nextRetryDelay: 4_000, message });
});

test('an address that was corrected is used by the next attempt', async () => {
  server.refuse.set('ada@example.com', 451);
  await failureOf(deliver());

  config = withMail({ teams: { ops: { members: [{ name: 'ada', email: 'ada@new.example.com' }] } } });
  await deliver();

  expect(server.mails.map(({ to }) => to)).toEqual([['ada@new.example.com']]);
});

const ALERT = { tenant: 'default', rule: 'a-rule', remediation: 'r', root: 'event-1', task: '7', occurredAt: 0 };

test('an alert is only told of by channels that keep one open', async () => {
  await deliver({ alert: ALERT });

  expect(alerts).toEqual([]);
});

describe('a channel that keeps an alert open', () => {
  let pager: HttpTarget;

  beforeEach(async () => {
    pager = await startHttpTarget();
    const channel = { type: 'pagerduty', routingKey: '${env:PAGER_KEY}', url: pager.url, resolveOn: ['task'] };
    config = withMail({
      teams: { ops: { ...TWO_WITH_MAIL, channels: [channel] } },
      outbound: { privateHosts: ['127.0.0.1'] },
    });
  });

  afterEach(async () => {
    await pager.close();
  });

  const request = { delivery: 'pagerduty/ops', channel: 'pagerduty', recipient: 'ops', alert: ALERT };

  test('has it told to the watch, with the key by which the receiver knows it, once it was taken', async () => {
    pager.answer({ status: 202, body: '{"status":"success"}' });

    await deliver(request, { variables: { PAGER_KEY: 'r0uting' } });

    const sent = JSON.parse(pager.requests[0]?.body ?? '') as { routing_key: string; dedup_key: string };
    expect(sent.routing_key).toBe('r0uting');
    expect(alerts).toEqual([
      {
        ...ALERT,
        team: 'ops',
        channel: 'pagerduty',
        key: sent.dedup_key,
        resolveOn: 'task',
        openedAt: expect.any(Number) as number,
      },
    ]);
  });

  test('has nothing told when it was not taken', async () => {
    pager.answer({ status: 500 });

    const failure = await failureOf(deliver(request, { variables: { PAGER_KEY: 'r0uting' } }));

    expect(failure).toMatchObject({ type: 'delivery-failed', nonRetryable: false });
    expect(failure.message).not.toContain('r0uting');
    expect(alerts).toEqual([]);
  });

  test('waits for the time that the receiver asks for', async () => {
    pager.answer({ status: 429, headers: { 'retry-after': '90' } });

    const failure = await failureOf(deliver(request, { variables: { PAGER_KEY: 'r0uting' } }));

    expect(failure).toMatchObject({ type: 'delivery-failed', nextRetryDelay: 90_000 });
  });

  test('that asks for more time than there is gets no other attempt, and the record says why', async () => {
    config = { ...config, notify: { ...config.notify, retry: { ...config.notify.retry, giveUpAfterMs: 600_000 } } };
    pager.answer({ status: 429, headers: { 'retry-after': '1800' } });

    const failure = await failureOf(deliver(request, { variables: { PAGER_KEY: 'r0uting' } }));

    expect(failure).toMatchObject({ type: 'delivery-refused', nonRetryable: true });
    expect(failure.message).toMatch(
      /since the receiver asks for a wait of 30 min and notify.retry.giveUpAfterMs is 10 min: PagerDuty answered 429/,
    );
  });

  test('knows a second attempt by its key, so it is asked again soon though the first may have arrived', async () => {
    pager.answer((response) => void response.socket?.resetAndDestroy());

    const failure = await failureOf(deliver(request, { variables: { PAGER_KEY: 'r0uting' } }));

    expect(failure).toMatchObject({ type: 'delivery-failed', nextRetryDelay: 1_000 });
  });

  test('is asked again later when its secret is not there: whoever mends that need not send the message by hand', async () => {
    const failure = await failureOf(deliver(request));

    expect(failure).toMatchObject({ type: 'delivery-failed', nonRetryable: false, nextRetryDelay: 1_000 });
    expect(failure.message).toBe('environment variable PAGER_KEY is not set');
    expect(pager.connections()).toBe(0);
  });
});

const SIGNING = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;

describe('receivers that hang, over HTTP and by mail, with a storm of messages for each', () => {
  const STORM = 100;
  let hanging: HttpTarget;
  let well: HttpTarget;
  let underWay: { environment: MockActivityEnvironment; over: Promise<unknown> }[];
  let stillThere: Set<Promise<unknown>>;
  let outbound: Outbound;
  let deliverOne: ReturnType<typeof makeDeliverNotification>;

  beforeEach(async () => {
    [hanging, well] = await Promise.all([startHttpTarget(), startHttpTarget()]);
    hanging.answer(() => undefined);
    well.answer({ status: 204 });
    server.always.set('bob@example.com', 'silent');
    const channels = [
      { type: 'email' },
      { type: 'webhook', name: 'hanging', url: hanging.url, secret: '${env:SIGNING}' },
      { type: 'webhook', name: 'well', url: well.url, secret: '${env:SIGNING}' },
    ];
    config = withMail({ teams: { ops: { ...TWO_WITH_MAIL, channels } }, outbound: { privateHosts: ['127.0.0.1'] } });
    outbound = createOutbound();
    deliverOne = makeDeliverNotification(worldOf({ variables: { SIGNING }, outbound }));
    stillThere = new Set();
    underWay = Array.from({ length: STORM }, (_, n) => [
      start({ effectKey: `bob ${n}`, recipient: 'bob', delivery: 'email/bob' }),
      start({ effectKey: `hanging ${n}`, channel: 'hanging', recipient: 'ops', delivery: 'hanging/ops' }),
    ]).flat();
    await eventually('both to hang', () =>
      hanging.requests.length === MAX_AT_RECEIVER && server.mails.length === MAX_AT_RECEIVER ? true : undefined,
    );
  });

  afterEach(async () => {
    for (const { environment } of underWay) environment.cancel();
    await Promise.all(underWay.map(({ over }) => over));
    await outbound.close();
    await Promise.all([hanging.close(), well.close()]);
  });

  function start(request: Partial<DeliveryRequest>) {
    const environment = env();
    const over = environment.run(deliverOne, aDelivery(request)).catch((error: unknown) => error);
    stillThere.add(over);
    void over.then(() => stillThere.delete(over));
    return { environment, over };
  }

  test('delay no other by more than a second, and keep few places of their worker taken', async () => {
    const startedAt = performance.now();
    const others = await Promise.all([
      start({ effectKey: 'mail' }).over,
      start({ effectKey: 'hook', channel: 'well', recipient: 'ops', delivery: 'well/ops' }).over,
    ]);
    const tookMs = performance.now() - startedAt;

    expect(others).toMatchObject([{ status: 'executed' }, { status: 'executed' }]);
    expect(tookMs).toBeLessThan(1_000);
    expect(stillThere.size).toBeGreaterThanOrEqual(2 * MAX_AT_RECEIVER);
    expect(stillThere.size).toBeLessThanOrEqual(2 * (MAX_AT_RECEIVER + MAX_IN_LINE));
  });
});

describe('a hook that takes the post and says nothing', () => {
  let hook: HttpTarget;

  beforeEach(async () => {
    hook = await startHttpTarget();
    const channel = { type: 'webhook', url: hook.url, secret: '${env:SIGNING}' };
    const teams = { ops: { ...TWO_WITH_MAIL, channels: [channel] } };
    config = withMail({ teams, outbound: { privateHosts: ['127.0.0.1'] } });
  });

  afterEach(() => hook.close());

  test('is left after half a minute, though a mail server has ten', async () => {
    const limits: (number | undefined)[] = [];
    const outbound: Outbound = {
      async send({ timeoutMs }) {
        limits.push(timeoutMs);
        return { kind: 'answered', status: 204, headers: {}, text: '' };
      },
      close: async () => {},
    };
    const request = { delivery: 'webhook/ops', channel: 'webhook', recipient: 'ops' };
    const variables = { SIGNING };

    await deliver({ ...request, timeoutMs: defaultsOf('notify_team').timeoutMs }, { variables, outbound });
    await deliver({ ...request, timeoutMs: 5_000 }, { variables, outbound });

    expect(limits).toEqual([30_000, 5_000]);
  });

  test('gets a few attempts and not hundreds', async () => {
    hook.answer(() => undefined);
    const request = { delivery: 'webhook/ops', channel: 'webhook', recipient: 'ops', timeoutMs: 1_500 };
    const variables = { SIGNING };

    const [first, last] = await Promise.all([
      failureOf(deliver(request, { variables })),
      failureOf(deliver(request, { variables, before: { perhapsArrived: 3 } })),
    ]);

    expect(first).toMatchObject({ type: 'delivery-failed', nextRetryDelay: 300_000 });
    expect(last).toMatchObject({ type: 'delivery-refused', nonRetryable: true });
    expect(hook.requests).toHaveLength(2);
  });
});

test('what a server says is shown without what the configuration calls secret', async () => {
  config = withMail({ redact: { patterns: ['refused with [0-9]+'] } });
  server.script.push(550);

  expect((await failureOf(deliver())).message).not.toContain('refused with');
});

test('a configuration that cannot be read is a reason to try again', async () => {
  const world = {
    config: { get: async () => ({ available: false as const, problems: [{ path: '', message: 'no such file' }] }) },
  } as unknown as Parameters<typeof makeDeliverNotification>[0];

  const failure = await failureOf(env().run(makeDeliverNotification(world), aDelivery()));

  expect(failure).toMatchObject({ type: 'config-unavailable', nonRetryable: false });
});
