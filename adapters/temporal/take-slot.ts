import { setTimeout as pause } from 'node:timers/promises';
import { type Client, WithStartWorkflowOperation, WorkflowUpdateFailedError } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { slotsId } from '#contract/ids.js';
import { messageOf } from '#contract/text/words.js';
import { SLOTS_UPDATES, WORKFLOW_TYPES } from '#contract/names.js';
import {
  MAX_ASKED_TOGETHER,
  type SlotAnswer,
  type SlotQuestion,
  type SlotReply,
  type SlotRequest,
  type SlotsInput,
} from '#contract/slots.js';
import { summaryOf } from '#contract/text/shorten.js';
import type { Workflows } from './workflows.js';
import { gatherQuestions } from './gather-questions.js';
import { permanentRefusal } from './permanent-refusal.js';

/** The workflow may just be completing or continuing as new, or no worker may be there to answer. */
const CALL_MS = 10_000;
const FIRST_PAUSE_MS = 50;

type TakenSlot = Awaited<ReturnType<Workflows['takeSlot']>>;

/**
 * Asks the workflow that keeps the slots of a launcher, and starts it first where it is not there. This process has one call
 * under way about each launcher: a workflow takes ten at once from all who ask, and the server refuses the others.
 */
export function makeTakeSlot(client: Client, taskQueue: string, callMs = CALL_MS): Workflows['takeSlot'] {
  const gathered = gatherQuestions(askTogether, MAX_ASKED_TOGETHER);
  return async (launcher, request, signal) => {
    const limit = new AbortController();
    // For the call that is under way when this one comes, and for the one that it is part of.
    const timer = setTimeout(() => limit.abort(), 2 * callMs);
    try {
      return await askUntil(AbortSignal.any([signal, limit.signal]), launcher, request);
    } finally {
      clearTimeout(timer);
    }
  };

  async function askUntil(givenUp: AbortSignal, launcher: string, request: SlotRequest): Promise<TakenSlot> {
    const slots = slotsId(taskQueue, launcher);
    let lastError: unknown = new Error('many others ask at the same time');
    for (let pauseMs = FIRST_PAUSE_MS; !givenUp.aborted; pauseMs *= 2) {
      try {
        const answer = await gathered(launcher, request, givenUp);
        if (answer) return answer;
      } catch (cause) {
        if (isPermanent(cause)) throw new Error(why(slots, cause), { cause });
        // Whatever has become of this question, the next one changes nothing that is granted.
        lastError = cause;
      }
      // Several workers that were refused together must not all come back together.
      await pause(pauseMs * (0.5 + Math.random()), undefined, { signal: givenUp }).catch(() => undefined);
    }
    return { state: 'unanswered', reason: why(slots, lastError) };
  }

  async function askTogether(launcher: string, requests: SlotRequest[]): Promise<SlotAnswer[]> {
    const question = { slots: slotsId(taskQueue, launcher), launcher, taskQueue, requests };
    return answersOf(requests, await client.withDeadline(Date.now() + callMs, () => acquire(client, question)));
  }
}

/** One of those that were refused together looks after who has the slots: for each to do it would help nobody. */
function answersOf(requests: SlotRequest[], { granted, held }: SlotReply): SlotAnswer[] {
  const first = requests.find(({ key }) => !granted.includes(key));
  return requests.map((request) => {
    if (granted.includes(request.key)) return { state: 'granted' };
    return { state: 'busy', held: request === first ? held : [] };
  });
}

function why(slots: string, error: unknown): string {
  const said = error instanceof WorkflowUpdateFailedError ? error.cause : error;
  return `could not ask the workflow ${slots} for a slot: ${messageOf(said)}`;
}

/** The workflow itself has refused the question, or the server has for good. */
function isPermanent(error: unknown): boolean {
  return error instanceof WorkflowUpdateFailedError || permanentRefusal(error) !== undefined;
}

interface Call extends SlotQuestion {
  slots: string;
  launcher: string;
  taskQueue: string;
}

function acquire(client: Client, { slots, launcher, taskQueue, requests }: Call): Promise<SlotReply> {
  const startWorkflowOperation = new WithStartWorkflowOperation(WORKFLOW_TYPES.slots, {
    workflowId: slots,
    taskQueue,
    args: [{ launcher } satisfies SlotsInput],
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: summaryOf(`Keeps the slots of launcher ${launcher}: who runs an agent through it`),
  });
  return client.workflow.executeUpdateWithStart<Workflow, SlotReply, [SlotQuestion]>(SLOTS_UPDATES.acquire, {
    args: [{ requests }],
    startWorkflowOperation,
  });
}
