import { at, type Check } from './check.js';

/** A signal slipped in when the workflow was about to end its run: the server has it look again, and nothing is wrong. */
const HARMLESS = ['UNHANDLED_COMMAND'];
const MOST_ATTEMPTS = 3;

export const noTaskFails: Check = {
  name: 'f: no workflow task failed, and none is tried again and again',
  run({ runs, nondeterminismLines }) {
    const failed = runs.flatMap((run) => run.failedTasks.map((task) => ({ ...task, run })));
    const bad = failed.filter(({ cause }) => !HARMLESS.includes(cause));
    const stuck = runs.filter(({ taskAttempt }) => taskAttempt > MOST_ATTEMPTS);
    return {
      looked: runs.length,
      violations: [
        ...bad.map(
          ({ run, cause, message, at: when }) =>
            `${run.id} (run ${run.runId}) at ${at(when)}: ${cause}: ${message.slice(0, 300)}`,
        ),
        ...stuck.map(
          ({ id, runId, taskAttempt }) => `${id} (run ${runId}): its open task is in attempt ${taskAttempt}`,
        ),
        ...(nondeterminismLines > 0
          ? [`the logs of workers hold ${nondeterminismLines} lines about nondeterminism`]
          : []),
      ],
      remarks: [...countBy(failed.map(({ cause }) => cause))].map(
        ([cause, times]) => `${times} tasks failed: ${cause}`,
      ),
    };
  },
};

function countBy(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
