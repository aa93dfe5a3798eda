import { CancelledFailure } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeDeliverNotification } from '../../../../../activities/actions/notify-team/activity.js';
import { createSmtpMailer } from '../../../../../activities/actions/notify-team/channels/email/adapters/smtp-mailer.js';
import type { Mailer } from '../../../../../activities/actions/notify-team/channels/email/mail.js';
import { createOutbound } from '../../../../../activities/adapters/outbound/create-outbound.js';
import type { World } from '../../../../../activities/world.js';
import type { ActionReport } from '../../../../../contract/activities.js';
import type { DeliveryRequest, OpenIncident } from '../../../../../contract/notification.js';
import { eventually } from '../../../../support/eventually.js';
import { type HttpTarget, startHttpTarget } from '../../../../support/http-target.js';
import { type MailServer, startMailServer } from '../../../../support/mail-server.js';
import { aDelivery, aMeshConfig, TWO_WITH_MAIL } from '../../../../support/notifications.js';

let server: MailServer;
let mailer: Mailer;
let config = aMeshConfig();
let incidents: OpenIncident[];

beforeEach(async () => {
  server = await startMailServer();
  mailer = createSmtpMailer(server.url);
  config = aMeshConfig();
  incidents = [];
});

afterEach(async () => {
  mailer.close();
  await server.close();
});

/** One attempt, as a worker would make it. */
function deliver(
  request: Partial<DeliveryRequest> = {},
  { attempt = 1, elapsedMs = 0, environment = env(attempt, elapsedMs), variables = {} } = {},
): Promise<ActionReport> {
  const world = {
    config: { get: async () => ({ available: true as const, value: config, hash: 'h', problems: [] }) },
    redactKeys: [],
    env: variables,
    mailer,
    outbound: createOutbound(),
    workflows: {
      tellWatchOfIncident: async (_tenant, incident) => void incidents.push(incident),
    } as World['workflows'],
  };
  return environment.run(makeDeliverNotification(world), aDelivery(request));
}

function env(attempt = 1, elapsedMs = 0): MockActivityEnvironment {
  const info = { attempt, scheduledTimestampMs: Date.now() - elapsedMs };
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

  const failure = await failureOf(deliver({}, { attempt: 300, elapsedMs: 86_400_000 - 1_000 }));

  expect(failure).toMatchObject({ type: 'delivery-refused', nonRetryable: true });
  expect(failure.message).toMatch(/^gave up after 23 h 59 min: Mail was not taken: .*421/);
});

test('how long is tried is a matter of the configuration', async () => {
  config = aMeshConfig({ notify: { retry: { quickForMs: 0, slowEveryMs: 40, giveUpAfterMs: 60_000 } } });
  server.script.push(451, 451);

  expect(await failureOf(deliver())).toMatchObject({ nextRetryDelay: 40 });
  expect(await failureOf(deliver({}, { elapsedMs: 59_990 }))).toMatchObject({ nonRetryable: true });
});

test('a server that hangs is left after the time limit', async () => {
  server.script.push('hang');

  const failure = await failureOf(deliver({ timeoutMs: 200 }));

  expect(failure).toMatchObject({ type: 'delivery-failed', message: 'not taken within 200ms', nonRetryable: false });
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

test.each([
  ['team', { teams: { dev: TWO_WITH_MAIL } }, 'there is no team ops any more'],
  [
    'channel',
    { teams: { ops: { ...TWO_WITH_MAIL, channels: [{ type: 'email', name: 'other' }] } } },
    'team ops has no channel email any more',
  ],
  [
    'member',
    { teams: { ops: { members: [{ name: 'eve', email: 'eve@example.com' }] } } },
    'team ops has no member ada any more',
  ],
  ['address', { teams: { ops: { members: [{ name: 'ada' }] } } }, 'ada is without an email address now'],
])('nothing is sent once the %s has left the configuration', async (_, written, message) => {
  config = aMeshConfig(written);

  expect(await failureOf(deliver())).toMatchObject({ type: 'delivery-refused', nonRetryable: true, message });
  expect(server.connections()).toBe(0);
});

test('an address that was corrected is used by the next attempt', async () => {
  server.refuse.set('ada@example.com', 451);
  await failureOf(deliver());

  config = aMeshConfig({ teams: { ops: { members: [{ name: 'ada', email: 'ada@new.example.com' }] } } });
  await deliver();

  expect(server.mails.map(({ to }) => to)).toEqual([['ada@new.example.com']]);
});

const INCIDENT = { tenant: 'default', rule: 'a-rule', remediation: 'r', root: 'event-1', task: '7' };

test('an incident is only told of by channels that keep one open', async () => {
  await deliver({ incident: INCIDENT });

  expect(incidents).toEqual([]);
});

describe('a channel that keeps an incident open', () => {
  let pager: HttpTarget;

  beforeEach(async () => {
    pager = await startHttpTarget();
    const channel = { type: 'pagerduty', routingKey: '${env:PAGER_KEY}', url: pager.url, resolveOn: ['task'] };
    config = aMeshConfig({
      teams: { ops: { ...TWO_WITH_MAIL, channels: [channel] } },
      outbound: { privateHosts: ['127.0.0.1'] },
    });
  });

  afterEach(async () => {
    await pager.close();
  });

  const request = { delivery: 'pagerduty/ops', channel: 'pagerduty', recipient: 'ops', incident: INCIDENT };

  test('has it told to the watch, with the key by which the receiver knows it, once it was taken', async () => {
    pager.answer({ status: 202, body: '{"status":"success"}' });

    await deliver(request, { variables: { PAGER_KEY: 'r0uting' } });

    const sent = JSON.parse(pager.requests[0]?.body ?? '') as { routing_key: string; dedup_key: string };
    expect(sent.routing_key).toBe('r0uting');
    expect(incidents).toEqual([
      {
        ...INCIDENT,
        team: 'ops',
        channel: 'pagerduty',
        key: sent.dedup_key,
        resolveOn: ['task'],
        openedAt: expect.any(Number) as number,
      },
    ]);
  });

  test('has nothing told when it was not taken', async () => {
    pager.answer({ status: 500 });

    const failure = await failureOf(deliver(request, { variables: { PAGER_KEY: 'r0uting' } }));

    expect(failure).toMatchObject({ type: 'delivery-failed', nonRetryable: false });
    expect(failure.message).not.toContain('r0uting');
    expect(incidents).toEqual([]);
  });

  test('waits for the time that the receiver asks for', async () => {
    pager.answer({ status: 429, headers: { 'retry-after': '90' } });

    const failure = await failureOf(deliver(request, { variables: { PAGER_KEY: 'r0uting' } }));

    expect(failure).toMatchObject({ type: 'delivery-failed', nextRetryDelay: 90_000 });
  });

  test('is asked again later when its secret is not there: whoever mends that need not send the message by hand', async () => {
    const failure = await failureOf(deliver(request));

    expect(failure).toMatchObject({ type: 'delivery-failed', nonRetryable: false, nextRetryDelay: 1_000 });
    expect(failure.message).toBe('environment variable PAGER_KEY is not set');
    expect(pager.connections()).toBe(0);
  });
});

test('what a server says is shown without what the configuration calls secret', async () => {
  config = aMeshConfig({ redact: { patterns: ['refused with [0-9]+'] } });
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
