import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { whatNext } from '#activities/actions/notify-team/message/what-next.js';
import type { AlertSubject } from '#contract/notification.js';
import { channelDelivery } from '#test/support/channel-delivery.js';
import { type HttpTarget, startHttpTarget } from '#test/support/http-target.js';
import { aMessage } from '#test/support/notifications.js';

let target: HttpTarget;

beforeEach(async () => {
  target = await startHttpTarget();
  target.answer({ status: 202, body: '{"status":"success","message":"Event processed","dedup_key":"x"}' });
});

afterEach(() => target.close());

const KEY = 'r0ut1ngKeyOf32Characters00000000';

function pagerduty(more: Record<string, unknown> = {}) {
  const channel = { type: 'pagerduty', routingKey: '${env:PD}', url: `${target.url}/v2/enqueue`, ...more };
  return channelDelivery(channel, { env: { PD: KEY } });
}

const ALERT: AlertSubject = {
  task: 't-1',
  tenant: 'default',
  rule: 'a-rule',
  remediation: 'remediation/x',
  root: 'event-1',
  occurredAt: 0,
};
const DEDUP_KEY = /^remediation-mesh\/[0-9a-f]{32}$/;

test('an alert says what broke, what was done and what to do', async () => {
  const message = aMessage({
    at: 1_700_000_000_000,
    subject: 'Hook chain a-rule triggered',
    bodyRepeatsFacts: true,
    outcome: 'timeout',
    tenant: 'acme',
    error: 'line 1\nline 2 \u202e',
    facts: [{ label: 'Tool', value: 'Bash' }],
    did: [{ action: 'fix', type: 'spawn_fallback_agent', state: 'running', text: 'was started' }],
    quiet: [{ by: 'cooldown', untilAt: 1_700_000_060_000 }],
    links: [{ text: 'Open the run', url: 'https://temporal.example.com/run' }],
    commands: [{ what: 'Abort it', command: 'npx mesh abort x' }],
    payload: '{\n  "a": 1\n}',
  });
  expect(await pagerduty({ severity: 'critical' }).deliver({ message })).toEqual({
    delivered: true,
    detail: 'reported to PagerDuty',
  });

  expect(target.requests).toHaveLength(1);
  expect(target.requests[0]).toMatchObject({ method: 'POST', path: '/v2/enqueue' });
  expect(sent()).toEqual({
    routing_key: KEY,
    event_action: 'trigger',
    dedup_key: expect.stringMatching(DEDUP_KEY),
    payload: {
      summary: 'Hook chain a-rule triggered',
      source: 'remediation-mesh/acme',
      severity: 'critical',
      timestamp: '2023-11-14T22:13:20.000Z',
      component: 'a-rule',
      group: 'acme',
      class: 'timeout',
      custom_details: {
        error: 'line 1\nline 2 \\u202e',
        'what the mesh did': ['fix (spawn_fallback_agent): still running: was started'],
        'what happens next': whatNext(message),
        details: { Tool: 'Bash' },
        'to act': { 'Abort it': 'npx mesh abort x' },
        payload: '{\n  "a": 1\n}',
      },
    },
    links: [{ href: 'https://temporal.example.com/run', text: 'Open the run' }],
    client: 'Remediation Mesh',
    client_url: 'https://temporal.example.com/run',
  });
});

test('a phone call says what broke: the rule, and the first line of the error', async () => {
  const usual = {
    subject: 'Hook chain a-rule triggered (E/failed)',
    isDefaultSubject: true,
    error: '\nno runner\n at x',
  };
  const { deliver } = pagerduty();
  await deliver({ message: aMessage(usual) });
  await deliver({ message: aMessage({ ...usual, error: ' ' }) });
  await deliver({ message: aMessage({ ...usual, subject: 'Deploy failed', isDefaultSubject: false }) });

  const summaries = target.requests.map(({ body }) => JSON.parse(body).payload.summary);
  expect(summaries).toEqual(['a-rule: no runner', 'Hook chain a-rule triggered (E/failed)', 'Deploy failed']);
});

test('an alert says first how old it is and how it stands', async () => {
  const late = { writtenAt: 0, sentAt: 7_200_000 };
  await pagerduty().deliver({ message: aMessage({ late, prognosis: 'Not mended: fix failed.' }) });

  expect(Object.entries(sent().payload.custom_details).slice(0, 2)).toEqual([
    ['late', expect.stringMatching(/^Delivered late: /)],
    ['how it stands', 'Not mended: fix failed.'],
  ]);
});

test('whatever is said in one thread has one key, which is short however long names are', async () => {
  const { deliver } = pagerduty();
  const thread = JSON.stringify(['default', 'r'.repeat(3_000), 's-1', 't-1']);
  await deliver({ effectKey: 'one', threadKey: thread });
  await deliver({ effectKey: 'two', threadKey: thread });
  await deliver({ effectKey: 'three', threadKey: `${thread} ` });

  const [first, second, other] = target.requests.map(({ body }) => JSON.parse(body).dedup_key);
  expect(first).toMatch(DEDUP_KEY);
  expect(second).toBe(first);
  expect(other).not.toBe(first);
});

test('texts are cut to what PagerDuty takes', async () => {
  const long = '\u202e<&>'.repeat(50_000);
  const facts = Array.from({ length: 200 }, (_, index) => ({ label: `Fact ${index}`, value: long }));
  await pagerduty().deliver({ message: aMessage({ subject: long, rule: long, body: long, error: long, facts }) });

  expect(sent().payload.summary).toHaveLength(1_024);
  expect(sent().payload.component.length).toBeLessThanOrEqual(255);
  expect(target.requests[0]?.body.length).toBeLessThan(512 * 1024);
});

describe('an alert', () => {
  test('is told to whoever watches for a success, with the key by which it is resolved', async () => {
    const answer = await pagerduty({ resolveOn: ['task', 'tool'] }).deliver({ alert: ALERT, threadKey: 'x' });

    expect(answer).toMatchObject({ alert: { key: sent().dedup_key, resolveOn: 'task' } });
  });

  test.each([
    ['nothing resolves it', {}, { alert: ALERT }],
    ['there is none', { resolveOn: ['task'] }, {}],
    ['only tools resolve it, and it is about a task', { resolveOn: ['tool'] }, { alert: ALERT }],
  ])('is not, when %s', async (_why, channel, request) => {
    expect(await pagerduty(channel).deliver(request)).not.toHaveProperty('alert');
  });

  test('about a tool has a key of its own where a tool closes it: it stands for no other', async () => {
    const { task: _task, ...subject } = ALERT;
    const { deliver } = pagerduty({ resolveOn: ['tool'] });
    for (const tool of ['Bash', 'Edit']) await deliver({ alert: { ...subject, tool }, threadKey: 'x' });
    await pagerduty({ resolveOn: ['task'] }).deliver({ alert: { ...subject, tool: 'Bash' }, threadKey: 'x' });
    await pagerduty().deliver({ threadKey: 'x' });

    const [bash, edit, byTask, byPeople] = target.requests.map(({ body }) => JSON.parse(body).dedup_key as string);
    expect(new Set([bash, edit, byTask]).size).toBe(3);
    expect(byTask).toBe(byPeople);
  });

  test('that is over is resolved by that key, with no other text', async () => {
    const answer = await pagerduty({ resolveOn: ['task'] }).deliver({
      message: aMessage({ kind: 'resolved', subject: 'Resolved' }),
      closes: 'remediation-mesh/abc',
    });

    expect(answer).toEqual({ delivered: true, detail: 'resolved at PagerDuty' });
    expect(sent()).toEqual({ routing_key: KEY, event_action: 'resolve', dedup_key: 'remediation-mesh/abc' });
  });
});

describe('the answer', () => {
  test('400 is final, and says which field is wrong', async () => {
    const errors = ["Length of 'routing_key' is incorrect (should be 32 characters)"];
    const body = JSON.stringify({ status: 'invalid event', message: 'Event object is invalid', errors });
    target.answer({ status: 400, body });

    expect(await pagerduty().deliver()).toEqual({
      delivered: false,
      reason: `PagerDuty answered 400: Event object is invalid: ${errors[0]}`,
      isFinal: true,
    });
  });

  test('that repeats the key is shown without it', async () => {
    target.answer({ status: 400, body: JSON.stringify({ message: 'no', errors: [`key ${KEY} is unknown`] }) });

    expect(await pagerduty().deliver()).toMatchObject({ reason: 'PagerDuty answered 400: no: key *** is unknown' });
  });

  test('200 is taken from those who say success', async () => {
    target.answer({ body: '{"status":"success"}' });

    expect(await pagerduty().deliver()).toMatchObject({ delivered: true });
  });

  test.each(['<html>', '{"status":"invalid event"}', 'null', '[]'])(
    '200 %s is tried again: the key makes that safe',
    async (body) => {
      target.answer({ body });

      expect(await pagerduty().deliver()).toMatchObject({ delivered: false, isFinal: false });
    },
  );
});

test('a dry run shows the event, and the key as it is written', () => {
  const { destination, preview } = pagerduty().prepare();

  expect(destination).toBe(`PagerDuty at ${target.url}/v2/enqueue, routing key \${env:PD}`);
  expect(JSON.parse(preview[0]?.text ?? '')).toMatchObject({ routing_key: '${env:PD}', event_action: 'trigger' });
  expect(JSON.stringify(preview)).not.toContain(KEY);
});

test('without an address of its own it goes to PagerDuty', () => {
  const { destination } = channelDelivery({ type: 'pagerduty', routingKey: '${env:PD}' }).prepare();

  expect(destination).toContain('https://events.pagerduty.com/v2/enqueue');
});

function sent() {
  return JSON.parse(target.requests[0]?.body ?? '');
}
