import type { Settled } from './evidence/evidence.js';
import { readJudgement, readVerdicts } from './evidence/look.js';
import { pause } from './pace.js';
import type { SentEvent } from './traffic/ledger.js';
import type { World } from './world.js';

/** For a machine that is busy: as long as it gets on, it gets this long once more, so many times. */
const STEP_MS = 30_000;
const MOST_STEPS_WITH_PROGRESS = 10;
const STEPS_WITHOUT_PROGRESS = 3;
const PROBE_WITHIN_MS = 60_000;

/** Waits, with all faults over, until everything acknowledged is judged and everything started has ended, or nothing moves any more. */
export async function settle(world: World, never: AbortSignal): Promise<Settled> {
  const begunAt = Date.now();
  let unjudged = acknowledged(world);
  let open = Infinity;
  let idleSteps = 0;
  for (let step = 0; step < MOST_STEPS_WITH_PROGRESS && idleSteps < STEPS_WITHOUT_PROGRESS; step++) {
    const before = unjudged.length + open;
    const until = Date.now() + STEP_MS;
    do {
      unjudged = await stillUnjudged(world, unjudged);
      open = await countOpen(world, open);
      if (unjudged.length + open > 0) await pause(500, never);
    } while (unjudged.length + open > 0 && Date.now() < until);
    if (unjudged.length + open === 0) break;
    idleSteps = unjudged.length + open < before ? 0 : idleSteps + 1;
  }
  const states = await Promise.all(
    unjudged.map(async ({ id, tenant }) => ({ id, tenant, state: await stateOf(world, tenant, id) })),
  );
  const probes = await Promise.all(world.site.tenants.map((tenant) => probe(world, tenant, never)));
  return { unjudged: states, probes, tookMs: Date.now() - begunAt };
}

function acknowledged({ ledger }: World): SentEvent[] {
  return [...ledger.events.values()].filter(({ acknowledgedAt }) => acknowledgedAt !== undefined);
}

/** The verdicts tell of many at once; only where they no longer do, each is asked for. */
async function stillUnjudged(world: World, events: readonly SentEvent[]): Promise<SentEvent[]> {
  const { gathered, site } = world;
  const isUnjudged = ({ id }: SentEvent) => gathered.of(id).length === 0 && !gathered.forgotten.has(id);
  await Promise.allSettled(site.tenants.map((tenant) => readVerdicts(world, tenant)));
  const left = events.filter(isUnjudged);
  for (const { id, tenant } of left.slice(0, ASKED_AT_ONCE)) {
    const answer = await readJudgement(world, tenant, id).catch(() => undefined);
    // Where the watch does not answer for one, it does not for the others either.
    if (answer === undefined || answer.state === 'waiting') break;
  }
  return left.filter(isUnjudged);
}

const ASKED_AT_ONCE = 100;

async function countOpen({ site }: World, known: number): Promise<number> {
  const query = "WorkflowType = 'remediate' AND ExecutionStatus = 'Running'";
  return site.client.workflow.count(query).then(
    ({ count }) => count,
    () => known,
  );
}

async function stateOf(world: World, tenant: string, id: string): Promise<string> {
  return readJudgement(world, tenant, id).then(
    ({ state }) => state,
    (error: unknown) => `no answer (${String(error).slice(0, 120)})`,
  );
}

async function probe(world: World, tenant: string, never: AbortSignal): Promise<Settled['probes'][number]> {
  const id = `probe-${tenant}`;
  const begunAt = Date.now();
  try {
    await world.site.mesh.report({ id, tenant, event: 'Probe', payload: {} });
    while (Date.now() - begunAt < PROBE_WITHIN_MS) {
      const state = await stateOf(world, tenant, id);
      if (state === 'judged') return { tenant, id, judgedAfterMs: Date.now() - begunAt };
      await pause(100, never);
    }
  } catch {
    // Not even taken.
  }
  return { tenant, id, judgedAfterMs: undefined };
}
