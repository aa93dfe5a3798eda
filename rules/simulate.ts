import type { MeshEvent } from '#contract/event.js';
import type { Verdict } from '#contract/views/verdicts.js';
import { judgeAtDoor, judgeMatched } from './guards/judge.js';
import { learn } from './guards/learn.js';
import { emptyMemory } from './guards/memory.js';
import { hasSeen, markSeen } from './guards/seen.js';
import { type LoadedRuleset, matchBatch } from './match-batch.js';

export interface SimulatedStep {
  atMs: number;
  event: MeshEvent;
}

/** Judges events one after another with the watch's own code and a memory that starts empty; time is what each step says. */
export function simulate(loaded: LoadedRuleset, steps: readonly SimulatedStep[]): Verdict[][] {
  const memory = emptyMemory();
  return steps.map(({ atMs, event }) => {
    const refused = judgeAtDoor(hasSeen(memory, event.id));
    if (refused) return [refused];
    const batch = matchBatch(loaded, [event]);
    const [matched = { error: 'not matched' }] = batch.events;
    // An event that could not be judged may be sent again, as in the watch.
    if (!('error' in matched)) markSeen(memory, event.id);
    const { verdicts, learnt } = judgeMatched(memory, event, batch.ruleset, matched, atMs);
    if (learnt) learn(memory, learnt, atMs);
    return verdicts;
  });
}
