import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RemediationDetail } from '#client/gateway/schemas/index.js';
import { eventually } from '../support/eventually.js';
import { failedResult } from '../support/failed-result.js';
import { type HttpTarget, startHttpTarget } from '../support/http-target.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

// From an event to the receivers of every channel, as they really are but for their makers.

const SIGNING = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;
const RULES = {
  version: 1,
  rules: [
    {
      id: 'r',
      trigger: { event: 'TaskCompleted', outcome: 'failed' },
      cooldownMs: 0,
      actions: [{ type: 'notify_team', id: 'tell', retry: { initialIntervalMs: 100, maxIntervalMs: 200 } }],
    },
  ],
};

let mail: MailServer;
let slack: HttpTarget;
let pagerduty: HttpTarget;
let hook: HttpTarget;
let inboxes: string;
let mesh: TestMesh | undefined;

beforeEach(async () => {
  inboxes = mkdtempSync(join(tmpdir(), 'mesh-inboxes-'));
  [mail, slack, pagerduty, hook] = await Promise.all([
    startMailServer(),
    startHttpTarget(),
    startHttpTarget(),
    startHttpTarget(),
  ]);
  slack.answer({ body: 'ok' });
  pagerduty.answer({ status: 202, body: '{"status":"success"}' });
  hook.answer({ status: 204 });
});

afterEach(async () => {
  await mesh?.stop();
  mesh = undefined;
  await Promise.all([mail.close(), slack.close(), pagerduty.close(), hook.close()]);
  rmSync(inboxes, { recursive: true, force: true });
});

async function start(giveUpAfterMs: number): Promise<TestMesh> {
  mesh = await startTestMesh({
    rules: RULES,
    smtpUrl: mail.url,
    env: { SLACK: `${slack.url}/services/T0/B0/x`, PD: 'k'.repeat(32), SIGNING },
    config: {
      teams: {
        ops: {
          members: [
            { name: 'ada', email: 'ada@example.com' },
            { name: 'bob', email: 'bob@example.com' },
          ],
          channels: [
            { type: 'email' },
            { type: 'slack', webhook: '${env:SLACK}' },
            { type: 'pagerduty', routingKey: '${env:PD}', url: `${pagerduty.url}/v2/enqueue`, resolveOn: ['task'] },
            { type: 'webhook', url: hook.url, secret: '${env:SIGNING}' },
            { type: 'inbox', folder: inboxes },
          ],
        },
      },
      notify: { defaultTeam: 'ops', retry: { giveUpAfterMs } },
      outbound: { privateHosts: ['127.0.0.1'] },
    },
  });
  return mesh;
}

test('a receiver that always fails delays nobody: each of the others gets one message, and a retry tells only this one', async () => {
  // With its second answer it asks for more time than there is.
  slack.answer((response) => {
    response.writeHead(500, slack.requests.length > 1 ? { 'retry-after': '600' } : {}).end();
  });
  const { report, result, remediation, client, mesh: sdk } = await start(60_000);
  const [id = ''] = await report({ payload: { task_id: 't-1' }, session: 's-1' });
  const failed = await failedResult(result('r', id));

  expect(failed.actions[0]?.reason).toMatch(
    /^not delivered to ops by slack: gave up after \d+ \w+, since the receiver asks for a wait of .+: Slack answered 500$/,
  );
  expect(slack.requests).toHaveLength(2);
  expectOneMessageEach();

  slack.requests.length = 0;
  slack.answer({ body: 'ok' });
  const { workflowId } = remediation('r', id);
  const { runId } = await sdk.retry(workflowId);

  expect(await client.workflow.getHandle(workflowId, runId).result()).toMatchObject({ outcome: 'executed' });
  expect(slack.requests).toHaveLength(1);
  expectOneMessageEach();
});

test('a delivery between two attempts is told of with its number, its reason and its time, and the others are not', async () => {
  const askedAt = Date.now();
  slack.answer({ status: 503, headers: { 'retry-after': '600' } });
  const { report, remediation, mesh: sdk } = await start(3_600_000);
  const [id = ''] = await report({ payload: { task_id: 't-1' } });
  const { workflowId } = remediation('r', id);

  const retrying = await eventually('the failed attempt', () =>
    sdk.remediation(workflowId).then(
      (detail) => detail.retrying,
      () => undefined,
    ),
  );

  expect(retrying).toEqual([
    {
      action: 'tell',
      delivery: 'slack/ops',
      doing: 'tell ops by slack (tell)',
      state: 'waiting',
      attempt: 2,
      lastError: 'Slack answered 503',
      nextAt: expect.any(Number) as number,
    },
  ]);
  expect(retrying[0]?.nextAt).toBeGreaterThan(askedAt + 500_000);
  expect(retrying[0]?.nextAt).toBeLessThan(Date.now() + 700_000);
  expect(RemediationDetail.shape.retrying.parse(retrying)).toEqual(retrying);
  await sdk.abort(workflowId);
});

test('an abort during an attempt keeps how often it was tried, and why that had failed before', async () => {
  slack.answer((response) => {
    // The second one is never answered.
    if (slack.requests.length === 1) response.writeHead(503).end();
  });
  const { report, result, remediation, mesh: sdk } = await start(3_600_000);
  const [id = ''] = await report({ payload: { task_id: 't-1' } });
  await eventually('a second attempt', () => slack.requests.length > 1 || undefined);

  await sdk.abort(remediation('r', id).workflowId);

  const { outcome, actions } = await result('r', id);
  expect(outcome).toBe('aborted');
  expect(actions[0]?.deliveries?.find(({ channel }) => channel === 'slack')).toMatchObject({
    status: 'aborted',
    attempts: 2,
    error: 'aborted while it ran; before that: Slack answered 503',
  });
});

test('an alert is resolved under its key when the same task succeeds, and not by another', async () => {
  const { report, result } = await start(60_000);
  const [id = ''] = await report({ payload: { task_id: 't-1' }, session: 's-1' });
  expect(await result('r', id)).toMatchObject({ outcome: 'executed' });

  await report({ payload: { task_id: 't-2' }, session: 's-1', outcome: 'success' });
  await report({ payload: { task_id: 't-1' }, session: 's-1', outcome: 'success' });
  await eventually('a second event', () => pagerduty.requests.length > 1 || undefined);

  const [opened, closed, ...others] = pagerduty.requests.map(({ body }) => JSON.parse(body));
  expect(opened).toMatchObject({ event_action: 'trigger' });
  expect(closed).toEqual({ routing_key: 'k'.repeat(32), event_action: 'resolve', dedup_key: opened.dedup_key });
  expect(others).toEqual([]);
  expectOneMessageEach({ pagerduty: 2 });
});

test('good news that could not be told at once closes nothing that has broken again by then', async () => {
  const { report, result, client, tenant, status } = await start(60_000);
  const broken = { payload: { task_id: 't-1' }, session: 's-1' };
  const [first = ''] = await report(broken);
  await result('r', first);
  let isDown = true;
  const accepted: string[] = [];
  pagerduty.answer((response, { body }) => {
    const isRefused = isDown && body.includes('"resolve"');
    if (!isRefused) accepted.push(JSON.parse(body).event_action as string);
    response.writeHead(isRefused ? 503 : 202, { 'retry-after': '1' }).end('{"status":"success"}');
  });

  await report({ ...broken, outcome: 'success' });
  await eventually('a first attempt', () => pagerduty.requests.length > 1 || undefined);
  // Another text, since a mere repetition would be kept quiet.
  const [second = ''] = await report({ ...broken, payload: { ...broken.payload, error: 'again' } });
  await result('r', second);
  await eventually('the new alert', async () => (await status()).alerts?.[0]);
  const query = `WorkflowType = 'notice' AND MeshTenant = '${tenant}'`;
  const notice = await eventually('the notice', async () => {
    for await (const { workflowId } of client.workflow.list({ query })) return client.workflow.getHandle(workflowId);
    return undefined;
  });
  // One that runs may have asked whether it is open before it was.
  await eventually('the end of an attempt', async () => {
    const { pendingActivities } = (await notice.describe()).raw;
    // As the server counts: 2 is that it has begun.
    return pendingActivities?.some(({ state }) => Number(state) === 2) ? undefined : true;
  });
  isDown = false;

  expect(await notice.result()).toMatchObject({
    outcome: 'skipped',
    reason: 'left open: it has been opened again meanwhile',
    deliveries: [{ delivery: 'pagerduty/ops', status: 'skipped' }],
  });
  // The first was before.
  expect(accepted).toEqual(['trigger']);
});

function expectOneMessageEach(expected = { pagerduty: 1 }): void {
  expect(mail.mails.map(({ to }) => to).sort()).toEqual([['ada@example.com'], ['bob@example.com']]);
  expect(pagerduty.requests).toHaveLength(expected.pagerduty);
  expect(hook.requests).toHaveLength(1);
  for (const { body, headers } of hook.requests) {
    expect(new Webhook(SIGNING).verify(body, headers as Record<string, string>)).toMatchObject({
      type: 'mesh.notification.remediation',
      data: { team: 'ops', rule: 'r' },
    });
  }
  const folder = join(inboxes, 'ops', 'inboxes');
  expect(readdirSync(folder).sort()).toEqual(['ada.json', 'bob.json']);
  for (const file of ['ada.json', 'bob.json']) {
    expect(JSON.parse(readFileSync(join(folder, file), 'utf8'))).toHaveLength(1);
  }
}
