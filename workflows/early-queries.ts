import { type ActivateInput, workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import { EARLY_QUERY } from '#contract/names.js';

/**
 * Refuses a query that may have come before a task of the same run.
 *
 * A query can reach a worker before a task that was scheduled after it. Its history then ends with events that no task has handled,
 * or that another worker may be handling. The SDK applies these events anyway, keeps the result, and sends it later as the answer
 * to the task. A replay applies them at another time, together with what the task brings besides, and may decide differently.
 * Then the workflow is stuck for ever. A refused query costs this worker its copy of the run, and is asked again. See ADR 9.
 */
export function interceptors(): WorkflowInterceptors {
  const mustRefuse = createQueryGuard();
  return {
    internals: [
      {
        activate(input, next) {
          // Fails this activation, which answers the query and throws the copy away. The workflow itself does not see it.
          if (mustRefuse(input.activation, workflowInfo().unsafe.now())) throw new Error(REFUSAL);
          next(input);
        },
      },
    ],
  };
}

const REFUSAL = `${EARLY_QUERY}: a query came before a task that waits for the same run; asked again, it is answered`;

type Activation = ActivateInput['activation'];
type Job = NonNullable<Activation['jobs']>[number];

/** What is known of the task that an activation belongs to. */
interface Task {
  historyLength: number;
  historyBytes: number;
  time: string;
  isReplay: boolean;
}

/** A query that this worker was given together with the task comes at once; for so long the task may be another worker's. */
const DOUBTED_FOR_MS = 10_000;

/** Is given one activation of a run after the other, and says of each whether it must not be worked on. */
export function createQueryGuard(): (activation: Activation, now: number) => boolean {
  let last: Task | undefined;
  let doubtedUntil = 0;

  return (activation, now) => {
    const jobs = activation.jobs ?? [];
    if (jobs.some(({ queryWorkflow }) => queryWorkflow)) {
      return now < doubtedUntil && jobs.some(isQueryAlone);
    }
    const task = taskOf(activation);
    // One task may take several activations, such as when something is cancelled that had not begun.
    if (last?.historyLength === task.historyLength) return false;
    if (last && isUnstarted(task, last)) return true;
    // The first task after a replay may have been handed to another worker, which may never finish it. The first task of a new run
    // was not: queries wait for it.
    doubtedUntil = last?.isReplay && !task.isReplay ? now + DOUBTED_FOR_MS : 0;
    last = task;
    return false;
  };
}

/** Time and size change only when a task starts. A task that is replayed was started, whatever they say. */
function isUnstarted(task: Task, last: Task): boolean {
  if (task.isReplay || task.historyBytes === 0) return false;
  return last.time === task.time && last.historyBytes === task.historyBytes;
}

/** Other queries come with a task that this worker is doing. */
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
