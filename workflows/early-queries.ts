import type { ActivateInput, WorkflowInterceptors } from '@temporalio/workflow';

/**
 * Refuses a query that may have come before a task that waits for the same run.
 *
 * A query that has waited for a worker longer than a signal since then is answered from a history whose last events belong to
 * a task that nobody has done yet. The SDK applies them all the same, with the time of the task before, or as a task that
 * another worker may be doing. It keeps that run, and later sends what came of it as the answer to the task, together with
 * what the task brings besides. A replay sees all of that at once, at the time of the task: it decides otherwise, and the
 * workflow stands still for ever. A refused query costs the copy of the run at this worker, and is asked again.
 */
export function interceptors(): WorkflowInterceptors {
  const isRefused = createDoorman();
  return {
    internals: [
      {
        activate(input, next) {
          if (isRefused(input.activation)) throw new Error(REFUSAL);
          next(input);
        },
      },
    ],
  };
}

const REFUSAL = 'a query came before a task that waits for the same run; asked again, it is answered';

type Activation = ActivateInput['activation'];
type Job = NonNullable<Activation['jobs']>[number];

/** What is known of the task that an activation belongs to. */
interface Task {
  historyLength: number;
  historyBytes: number;
  time: string;
  isReplay: boolean;
}

/** Says of one activation of a run after the other whether it must not be worked on. */
export function createDoorman(): (activation: Activation) => boolean {
  let last: Task | undefined;
  let mayBeUndone = false;

  return (activation) => {
    const jobs = activation.jobs ?? [];
    if (jobs.some(({ queryWorkflow }) => queryWorkflow)) return mayBeUndone && jobs.some(isQueryAlone);
    const task = taskOf(activation);
    // One task may take several activations, such as when something is cancelled that had not begun.
    if (last?.historyLength === task.historyLength) return false;
    // Both are told with the start of a task, which has not come yet. The run is thrown away with this activation.
    const isUnstarted = last !== undefined && last.time === task.time && last.historyBytes === task.historyBytes;
    if (isUnstarted && task.historyBytes > 0) return true;
    // The first that follows a replay may be another worker's, and be done again. That of a new run is not: queries wait for it.
    mayBeUndone = last?.isReplay === true && !task.isReplay;
    last = task;
    return false;
  };
}

/** Others come with a task that this worker is doing. */
function isQueryAlone({ queryWorkflow }: Job): boolean {
  return queryWorkflow?.queryId === 'legacy_query';
}

function taskOf({ historyLength, historySizeBytes, timestamp, isReplaying }: Activation): Task {
  return {
    historyLength: historyLength ?? 0,
    historyBytes: historySizeBytes?.toNumber() ?? 0,
    time: `${timestamp?.seconds?.toString()}.${timestamp?.nanos}`,
    isReplay: isReplaying ?? false,
  };
}
