// How much memory the worker and the gateway take for 100,000 events, each in a process of its own, as they are run: first
// with events of which most match nothing, then with a cooldown key of its own for each. Absolute figures belong to the
// machine and to how much memory it has; what counts is how far they grow.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectMesh, type Mesh } from '#client/mesh.js';
import { freePort, startDevServer } from '#worker/dev/dev-server.js';
import { findTemporal } from '#worker/dev/temporal-binary.js';
import { type HeapFigures, PROBE_FOLDER } from './memory-probe.js';

const EVENTS = 100_000;
const EVENTS_PER_REQUEST = 500;
const REQUESTS_IN_FLIGHT = 4;
/** More than this many are not sent ahead of those that are judged; looked at now and then, since a look is work too. */
const MAX_BEHIND = 5_000;
const LOOK_EVERY_EVENTS = 2_500;
/** One event in so many fires: its remediation is a workflow of its own. */
const FIRES_EVERY = 500;
/** One in so many matches a rule that cools down. */
const COOLS_EVERY = 20;
/** What is left when the work is done is seen once nothing more comes. */
const SETTLE_MS = 20_000;
/** As long as nothing more is judged: then something is wrong. */
const STANDS_STILL_MS = 60_000;
/** Of the kernel's accounting. */
const MS_PER_TICK = 10;

interface Load {
  what: string;
  rules: unknown;
  eventOf(index: number): object;
}

const action = { type: 'warm_remote_capacity' };
const LOADS: Load[] = [
  {
    what: 'most of them match no rule',
    rules: {
      rules: [
        { id: 'fires', trigger: { event: 'Fires' }, cooldownMs: 0, dedupWindowMs: 0, actions: [action] },
        { id: 'cools', trigger: { event: 'Cools' }, cooldownMs: 3_600_000, actions: [action] },
      ],
    },
    eventOf(index) {
      if (index % FIRES_EVERY === 0) return { event: 'Fires', outcome: 'failed' };
      if (index % COOLS_EVERY === 0) return { event: 'Cools', outcome: 'failed' };
      return { event: 'PostToolUse', outcome: 'success' };
    },
  },
  {
    what: 'each with a cooldown key of its own',
    rules: {
      rules: [
        {
          // On trial it arms its windows and starts nothing, so that the windows alone are measured.
          ...{ id: 'cools', mode: 'shadow', trigger: { event: 'Cools' }, actions: [action] },
          ...{ cooldownMs: 3_600_000, cooldownBy: ['payload.host'], dedupWindowMs: 0 },
        },
      ],
    },
    eventOf: (index) => ({ event: 'Cools', outcome: 'failed', host: `host-${index}.example.com` }),
  },
];

const folder = await mkdtemp(join(tmpdir(), 'mesh-bench-'));
const binary = await findTemporal({ env: process.env, say: console.error });
console.log(`machine: ${cpus().length} cores, ${cpus()[0]?.model ?? '?'}; Node ${process.versions.node}`);
console.log(`${'MiB'.padEnd(40)}      start       peak      after   after a forced collection: all, heaps`);
try {
  for (const [index, load] of LOADS.entries()) await measure(load, join(folder, String(index)));
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function measure(load: Load, home: string): Promise<void> {
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'rules.json'), JSON.stringify(load.rules));
  await writeFile(join(home, 'mesh.json'), JSON.stringify({ gateway: { eventsPerSecond: 100_000 } }));
  const databaseFile = join(home, 'temporal.db');
  const server = await startDevServer({ binary, port: await freePort(), databaseFile, namespace: 'default' });
  const port = String(await freePort());
  const env = {
    MESH_RULES: join(home, 'rules.json'),
    MESH_CONFIG: join(home, 'mesh.json'),
    MESH_HOME: home,
    TEMPORAL_ADDRESS: server.address,
  };
  const worker = await start('worker', home, ['worker/bootstrap.mjs', 'start'], { ...env, MESH_GATEWAY_PORT: 'off' });
  const gateway = await start('gateway', home, ['worker/mesh.mjs', 'gateway'], { ...env, MESH_GATEWAY_PORT: port });
  const mesh = await connectMesh({ connection: { ...readAddress(server.address) } });
  try {
    await untilReady(`http://127.0.0.1:${port}/readyz`);
    await mesh.report({ event: 'SessionStart' });
    await untilJudged(mesh, 1);
    const processes = [worker, gateway];
    const before = await Promise.all(processes.map(residentOf));
    const usedBeforeMs = await Promise.all(processes.map(cpuMsOf));
    const begun = performance.now();
    await reportAll(`http://127.0.0.1:${port}/v1/events`, load, mesh);
    await untilJudged(mesh, EVENTS + 1);
    const tookMs = performance.now() - begun;
    const usedMs = await Promise.all(processes.map(cpuMsOf));
    await wait(SETTLE_MS);
    const { guards, counters } = await mesh.status();
    const after = await Promise.all(processes.map(residentOf));
    const asIs = await Promise.all(processes.map((one) => heapsOf(one, 'asis')));
    const retained = await Promise.all(processes.map((one) => heapsOf(one, 'retained')));
    const collected = await Promise.all(processes.map(residentOf));

    console.log(
      `${EVENTS} events in ${(tookMs / 1_000).toFixed(0)} s, ${load.what}: fired ${counters.fired}, ` +
        `cooldowns armed ${guards.live.cooldowns}, windows dropped ${guards.evicted}`,
    );
    for (const [index, { name }] of processes.entries()) {
      const columns = [before[index]?.nowBytes, after[index]?.peakBytes, after[index]?.nowBytes];
      console.log(
        `  ${name.padEnd(38)} ${columns.map((bytes) => mebibytes(bytes).padStart(10)).join(' ')} ` +
          `  ${mebibytes(collected[index]?.nowBytes)}, ${(retained[index] ?? []).map(describeHeap).join('; ')}`,
      );
      const cpuMs = (usedMs[index] ?? 0) - (usedBeforeMs[index] ?? 0);
      console.log(
        `    ${(cpuMs / 1_000).toFixed(1)} s of CPU; heaps as they were: ${(asIs[index] ?? []).map(describeHeap).join('; ')}`,
      );
    }
  } finally {
    await mesh.close();
    for (const { child } of [worker, gateway]) child.kill('SIGKILL');
    await server.stop();
  }
}

interface Measured {
  name: string;
  child: ChildProcess;
  probeFolder: string;
}

/** Without the gateway in the same process, although `npm start` has it there: the two are to be told apart. */
async function start(name: string, home: string, args: string[], env: Record<string, string>): Promise<Measured> {
  const probeFolder = join(home, `probe-${name}`);
  await mkdir(probeFolder);
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const probe = new URL('memory-probe.js', import.meta.url).href;
  const child = spawn(process.execPath, ['--import', probe, ...args], {
    cwd: root,
    env: { ...process.env, ...env, [PROBE_FOLDER]: probeFolder },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return { name, child, probeFolder };
}

function readAddress(address: string) {
  return { address, namespace: 'default', options: {}, isGiven: true };
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.status === 200) return;
    await wait(100);
  }
  throw new Error('worker and gateway did not become ready');
}

async function untilJudged(mesh: Mesh, count: number): Promise<void> {
  let judged = 0;
  for (let grownAt = performance.now(); judged < count; await wait(200)) {
    // On a machine that has other things to do an answer may come too late.
    const events = (await mesh.status().catch(() => undefined))?.counters.events ?? judged;
    if (events !== judged) grownAt = performance.now();
    if (performance.now() - grownAt > STANDS_STILL_MS) throw new Error(`of ${count} events only ${events} were judged`);
    judged = events;
  }
}

/** No faster than they are judged, so that what is measured does not depend on how many happen to wait. */
async function reportAll(url: string, load: Load, mesh: Mesh): Promise<void> {
  let next = 0;
  const sender = async () => {
    while (next < EVENTS) {
      const from = next;
      next += EVENTS_PER_REQUEST;
      if (from % LOOK_EVERY_EVENTS === 0) await untilJudged(mesh, from - MAX_BEHIND);
      await report(url, load, from);
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_IN_FLIGHT }, sender));
}

/** With a payload of the size that tools have. Asked to come later, it does: the ids make a copy harmless. */
async function report(url: string, { eventOf }: Load, from: number): Promise<void> {
  const events = Array.from({ length: EVENTS_PER_REQUEST }, (_, offset) => {
    const { host, ...event } = eventOf(from + offset) as { host?: string };
    return {
      ...{ id: `event-${from + offset}`, session: `session-${(from + offset) % 100}`, ...event },
      payload: {
        ...{ tool_name: 'Bash', tool_input: { command: 'npm test', description: 'Runs the tests of the project' } },
        ...{ error: `Command timed out after ${from + offset} ms`, cwd: '/srv/project', ...(host && { host }) },
      },
    };
  });
  for (;;) {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(events),
    });
    const said = await answer.text();
    if (answer.status === 202) return;
    if (answer.status !== 429 && answer.status !== 503)
      throw new Error(`the gateway answered ${answer.status}: ${said}`);
    await wait(500);
  }
}

async function residentOf({ child }: Measured): Promise<{ nowBytes: number; peakBytes: number }> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  const bytesAt = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1_024;
  return { nowBytes: bytesAt('VmRSS'), peakBytes: bytesAt('VmHWM') };
}

/** Says what less memory costs: unlike the time that went by, it is the same whoever else works on this machine. */
async function cpuMsOf({ child }: Measured): Promise<number> {
  const [, afterName = ''] = (await readFile(`/proc/${child.pid}/stat`, 'utf8')).split(') ');
  const fields = afterName.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

async function heapsOf({ probeFolder }: Measured, question: 'asis' | 'retained'): Promise<HeapFigures[]> {
  await writeFile(join(probeFolder, question), '');
  await wait(3_000);
  const names = (await readdir(probeFolder)).filter((name) => name.startsWith(`${question}-`)).sort();
  return Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(probeFolder, name), 'utf8')) as HeapFigures),
  );
}

function describeHeap({ thread, usedBytes, totalBytes, externalBytes }: HeapFigures): string {
  return `${thread} ${mebibytes(usedBytes)} of ${mebibytes(totalBytes)}, buffers ${mebibytes(externalBytes)}`;
}

function mebibytes(bytes = 0): string {
  return (bytes / 1_048_576).toFixed(0);
}
