import { pause, keepOn } from './pace.js';
import { gatherVerdicts, readJudgement, readStatus } from './evidence/look.js';
import type { Scenario } from './scenario.js';
import type { WrittenRule } from './site/rules-on-disk.js';
import type { Activity, World } from './world.js';

// Nothing special: steady events, short windows, somebody who looks, and a worker that dies now and then.

const TENANT = 'default';
/** Each end of a window is a moment that a replay may see otherwise, so there are several. */
const RULES = [2_000, 2_300, 2_700, 3_000].map((cooldownMs): WrittenRule => ({
  id: `rest-${cooldownMs}`,
  trigger: { event: 'PostToolUseFailure', outcome: 'failed' },
  cooldownMs,
  dedupWindowMs: 1_500,
  actions: [{ id: 'tell', type: 'notify_team', teamName: 'hook' }],
}));
const SIGNS = 3;

/** The worker is killed about that often. */
export function calm(killEveryMs: number): Scenario {
  return {
    name: 'calm',
    site: { tenants: { [TENANT]: RULES }, workers: 1, hasGateway: false },
    // The watch keeps 200 verdicts, four for an event: what has waited for longer than about seven seconds pushes itself out.
    mostUnseen: killEveryMs < 10_000 ? 0.6 : 0.1,
    activities: [gatherVerdicts, reportSteadily, lookEverySecond, killNowAndThen(killEveryMs)],
  };
}

const reportSteadily: Activity = async (world) => {
  const random = world.random.fork('events');
  let count = 0;
  const step = async () => {
    const event = { id: `calm-${++count}`, tenant: TENANT };
    world.ledger.sending(event, 'sdk');
    await report(world, event, random.between(1, SIGNS));
  };
  await keepOn(world.over, () => random.between(100, 200), step);
};

async function report(
  { site, ledger, tally }: World,
  event: { id: string; tenant: string },
  sign: number,
): Promise<void> {
  const payload = { tool_name: 'Bash', error: `timeout ${sign}` };
  try {
    const { ids } = await site.mesh.report({ ...event, event: 'PostToolUseFailure', outcome: 'failed', payload });
    ledger.acknowledged(ids, event.tenant, 'sdk');
    tally.add('events', 'sdk');
  } catch {
    tally.add('events not taken', 'sdk');
  }
}

const lookEverySecond: Activity = async (world) => {
  const random = world.random.fork('lookers');
  const look = async () => {
    const recent = world.ledger.recent(TENANT, 20);
    const looks = [
      readStatus(world, TENANT),
      ...(recent.length > 0 ? [readJudgement(world, TENANT, random.pick(recent).id)] : []),
    ];
    for (const { status } of await Promise.allSettled(looks)) {
      world.tally.add(status === 'fulfilled' ? 'looks' : 'looks in vain', 'status and judgement');
    }
  };
  await keepOn(world.over, () => random.between(700, 1_300), look);
};

function killNowAndThen(everyMs: number): Activity {
  return async (world) => {
    const random = world.random.fork('kills');
    for (;;) {
      await pause(random.between(0.85 * everyMs, 1.15 * everyMs), world.over);
      if (world.over.aborted) return;
      for (const worker of world.site.workers) {
        world.tally.add('faults', 'worker killed');
        await worker.kill(random.between(0, 500));
      }
    }
  };
}
