// Reports single events over HTTP, as agents do, and says how long each answer took. A process of its own, so that what is
// measured is not the time this needs for itself.

import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';

export interface Load {
  url: string;
  /** Ids begin with it. */
  name: string;
  connections: number;
  seconds: number;
  /** How many are offered a second, whatever becomes of them. Absent: as many as the connections carry. */
  perSecond?: number;
}

export interface LoadResult {
  accepted: number;
  /** By status, or by what kept it from having one. */
  errors: Record<string, number>;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

const load = JSON.parse(process.argv[2] ?? '') as Load;
const pool = new Pool(load.url, { connections: load.connections, pipelining: 1 });
const latencies: number[] = [];
const errors: Record<string, number> = {};
let sent = 0;

const begun = performance.now();
const endAt = begun + load.seconds * 1_000;
await (load.perSecond === undefined ? asFastAsPossible() : offered(load.perSecond));
const tookMs = performance.now() - begun;
await pool.close();

const sorted = latencies.sort((a, b) => a - b);
const quantile = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
const result: LoadResult = {
  accepted: sorted.length,
  errors,
  perSecond: (sorted.length * 1_000) / tookMs,
  p50Ms: quantile(0.5),
  p99Ms: quantile(0.99),
  maxMs: sorted.at(-1) ?? 0,
};
process.stdout.write(JSON.stringify(result));

async function asFastAsPossible(): Promise<void> {
  const connection = async () => {
    while (performance.now() < endAt) await report(performance.now());
  };
  await Promise.all(Array.from({ length: load.connections }, connection));
}

/** Each at its time, whether those before it are answered or not; a late start counts as waiting. */
async function offered(perSecond: number): Promise<void> {
  const running: Promise<void>[] = [];
  for (let dueAt = begun; dueAt < endAt; dueAt += 1_000 / perSecond) {
    const early = dueAt - performance.now();
    if (early > 1) await wait(early);
    running.push(report(dueAt));
  }
  await Promise.all(running);
}

async function report(dueAt: number): Promise<void> {
  const event = {
    id: `${load.name}-${sent++}`,
    event: 'PostToolUseFailure',
    outcome: 'failed',
    session: 'bench',
    payload: { tool_name: 'Bash', tool_input: { command: 'npm test' }, error: 'Command timed out after 120000 ms' },
  };
  try {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/v1/events',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(event),
    });
    await body.dump();
    if (statusCode === 202) latencies.push(performance.now() - dueAt);
    else count(String(statusCode));
  } catch (error) {
    count(error instanceof Error ? error.message : String(error));
  }
}

function count(error: string): void {
  errors[error] = (errors[error] ?? 0) + 1;
}
