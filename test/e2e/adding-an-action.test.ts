import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connectMesh, type EventInput } from '#client/mesh.js';
import { effectKey, remediationId } from '#contract/ids.js';
import { codeBlocksOf, readText } from '../repo/markdown.js';
import { eventually } from '../support/eventually.js';
import { type HttpTarget, startHttpTarget } from '../support/http-target.js';
import { copyWithPages, type PageCopy } from '../support/page-copy.js';
import type { Running } from '../support/run-command.js';
import { runIn, startIn } from '../support/start-in.js';

// Does what docs/adding-an-action.md says, in a copy of this repository, and has a rule act with the action that it adds.
// That all of it is right to the letter is part of `npm run check`, see test/packaging/adding.test.ts.

const PAGE = 'docs/adding-an-action.md';
const TEXT = readText(PAGE);
const RULES = exampleThat((block) => block.startsWith('rules:'));
const EVENT = exampleThat((block) => block.startsWith('{ "event"'));
const [RULE, ACTION] = ['ticket-for-failed-task', 'ticket'];
const TOKEN = 'tok-3f0c9be16a';
/** On a machine of two cores all of this takes half a minute; others may use it at the same time. */
const TIMEOUT_MS = 240_000;

let copy: PageCopy;
let folder: string;
let clone: string;
let tracker: HttpTarget;
let worker: Running | undefined;

beforeAll(async () => {
  tracker = await startHttpTarget();
  copy = await copyWithPages(PAGE);
  ({ folder, clone } = copy);
}, TIMEOUT_MS);

afterAll(async () => {
  if (worker?.child.pid !== undefined && worker.child.exitCode === null) process.kill(-worker.child.pid, 'SIGKILL');
  await tracker.close();
  await copy.remove();
});

test('a rule opens a ticket with it, once, though the tracker fails at first', { timeout: TIMEOUT_MS }, async () => {
  const tickets = honestTracker();
  const env = await environment();
  const mesh = (...args: string[]) => runIn(clone, [process.execPath, 'worker/mesh.mjs', ...args], env);
  await runIn(clone, [process.execPath, 'worker/bootstrap.mjs', 'build']);

  expect((await mesh('check')).stdout).toContain('valid');
  const shown = await mesh('try', RULE, '--event', join(folder, 'event.json'), '--dry-run');
  expect(shown.stdout).toContain(`POST ${tracker.url}/tickets`);
  expect(shown.stdout).toContain('"title": "Task failed: Deploy"');
  expect(shown.stdout).not.toContain(TOKEN);
  expect(tracker.connections()).toBe(0);

  await mesh('setup-server');
  worker = startIn(clone, [process.execPath, 'worker/bootstrap.mjs', 'start'], env);
  const { id, result, history } = await report(env['TEMPORAL_NAMESPACE'] ?? '');

  expect(result).toMatchObject({
    outcome: 'executed',
    actions: [{ action: ACTION, type: 'open_ticket', status: 'executed', detail: 'Ticket T-1 opened', attempts: 2 }],
  });
  const asked = { 'idempotency-key': effectKey(id, ACTION), authorization: `Bearer ${TOKEN}` };
  expect(tracker.requests.map(({ headers }) => headers)).toEqual([
    expect.objectContaining(asked),
    expect.objectContaining(asked),
  ]);
  expect([...tickets]).toEqual([[effectKey(id, ACTION), 'T-1']]);
  expect(history).not.toContain(TOKEN);
  const show = await mesh('show', id);
  expect(show.stdout).toContain('Ticket T-1 opened');
});

function exampleThat(fits: (block: string) => boolean): string {
  const found = codeBlocksOf(TEXT).filter(fits);
  if (found.length !== 1) throw new Error(`${PAGE} has ${found.length} examples of a kind of which there is one`);
  return found[0] ?? '';
}

/** Out of order once, and then does what the page of the action asks of a tracker. Its tickets, by key. */
function honestTracker(): Map<string, string> {
  const tickets = new Map<string, string>();
  tracker.answer((response, { headers }) => {
    if (tracker.requests.length === 1) return response.writeHead(500).end();
    const key = String(headers['idempotency-key']);
    if (!tickets.has(key)) tickets.set(key, `T-${tickets.size + 1}`);
    return response.writeHead(201).end(JSON.stringify({ id: tickets.get(key) }));
  });
  return tickets;
}

/** A namespace of its own on the server of all tests, and files in the folder of this one. */
async function environment(): Promise<Record<string, string>> {
  const [address, namespace] = [inject('temporalAddress'), `adding-${randomBytes(4).toString('hex')}`];
  const at = ['--address', address, '--namespace', namespace];
  await runIn(folder, [inject('temporalBinary'), 'operator', 'namespace', 'create', ...at]);
  const config = {
    tickets: { url: `${tracker.url}/tickets`, token: '${env:TRACKER_TOKEN}' },
    outbound: { privateHosts: ['127.0.0.1'] },
  };
  await writeFile(join(folder, 'mesh.yaml'), JSON.stringify(config));
  await writeFile(join(folder, 'rules.yaml'), RULES);
  await writeFile(join(folder, 'event.json'), EVENT);
  return {
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    MESH_HOME: join(folder, 'state'),
    MESH_CONFIG: join(folder, 'mesh.yaml'),
    MESH_RULES: join(folder, 'rules.yaml'),
    MESH_GATEWAY_PORT: 'off',
    TRACKER_TOKEN: TOKEN,
  };
}

/** Reports the event of the page, and waits for the end of what it has brought about. */
async function report(namespace: string): Promise<{ id: string; result: unknown; history: string }> {
  const address = inject('temporalAddress');
  const mesh = await connectMesh({ connection: { address, namespace, options: {}, isGiven: true } });
  const connection = await Connection.connect({ address });
  try {
    const { ids } = await mesh.report([JSON.parse(EVENT) as EventInput]);
    const id = remediationId('default', RULE, ids[0] ?? '');
    const handle = new Client({ connection, namespace }).workflow.getHandle(id);
    await eventually('the remediation', () => handle.describe().catch(() => workerStillRuns()), 60_000);
    const result: unknown = await handle.result();
    return { id, result, history: JSON.stringify(historyToJSON(await handle.fetchHistory())) };
  } finally {
    await mesh.close();
    await connection.close();
  }
}

/** One that has ended will not start anything: what it said is the reason. */
function workerStillRuns(): undefined {
  if (worker && worker.child.exitCode !== null) throw new Error(`the worker ended: ${worker.output().stderr}`);
  return undefined;
}
