import type { SpawnPlan } from '#contract/actions/spawn-fallback-agent/schema.js';
import type { Launch } from '#contract/remediation.js';
import type { ActionRun, Outcome } from '../action-run.js';
import { lastWordsOf } from './launch-record.js';
import { tryLauncher } from './try-launcher.js';

/** Tries the launchers of the agent type in order, until one has done it. The record shows each that was tried. */
export async function runSpawnFallbackAgent(run: ActionRun<SpawnPlan>): Promise<Outcome> {
  const launches: Launch[] = [];
  let launcher: string | undefined;
  let attempts = 0;
  for (;;) {
    const tried = launches.map((one) => one.launcher);
    const { outcome, launched, next } = await tryLauncher(run, { launcher, tried });
    attempts += outcome.attempts;
    const isTried = [...tried, launched?.launcher].includes(next);
    if (outcome.status !== 'failed' || next === undefined || isTried) {
      return summed(outcome, launched ? [...launches, launched] : launches, attempts);
    }
    if (launched) launches.push({ ...launched, ...(outcome.agent && lastWordsOf(outcome.agent)) });
    run.show({ launches: [...launches], agent: undefined, doing: undefined });
    launcher = next;
  }
}

/** When several launchers were tried in vain, why each of them failed. */
function summed(outcome: Outcome, launches: Launch[], attempts: number): Outcome {
  const all = { ...outcome, ...(launches.length > 0 && { launches }), attempts };
  if (outcome.status !== 'failed' || launches.length < 2) return all;
  return {
    ...all,
    reason: launches.map(({ launcher, reason }) => `${launcher}: ${reason ?? outcome.reason ?? 'failed'}`).join('; '),
  };
}
