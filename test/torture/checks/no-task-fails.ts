import { at, type Check } from './check.js';

/** A signal slipped in when the workflow was about to end its run: the server has it look again, and nothing is wrong. */
const HARMLESS = ['UNHANDLED_COMMAND'];
const MOST_ATTEMPTS = 3;
/** The SDK gives a task five seconds by the clock on the wall, which a frozen worker cannot keep. Nobody can set that. */
const OUT_OF_TIME = /^Script execution timed out/;
const SDK_LIMIT_MS = 5_000;
const TOLD_WITHIN_MS = 2_000;

export const noTaskFails: Check = {
  name: 'f: no workflow task failed, and none is tried again and again',
  run({ runs, nondeterminismLines, freezes }) {
    const wasFrozen = (when: number) =>
      freezes.some(
        ({ name, fromAt, untilAt }) =>
          name.startsWith('worker') &&
          untilAt - fromAt >= SDK_LIMIT_MS &&
          when >= untilAt &&
          when <= untilAt + TOLD_WITHIN_MS,
      );
    const failed = runs.flatMap((run) => run.failedTasks.map((task) => ({ ...task, run })));
    const bad = failed.filter(
      ({ cause, message, at: when }) => !HARMLESS.includes(cause) && !(OUT_OF_TIME.test(message) && wasFrozen(when)),
    );
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
