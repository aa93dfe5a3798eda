import { factsOf, type Telling } from '#contract/facts.js';

/** A longer text is no name. */
const MAX_NAME_CHARS = 200;

/** What works again, when an event tells of a success: the task and the tool that it names. */
export function worksIn(event: Telling): Names | undefined {
  if (event.outcome !== 'success') return undefined;
  const names = namesIn(event);
  return names.task === undefined && names.tool === undefined ? undefined : names;
}

export interface Names {
  task?: string;
  tool?: string;
}

/** The task and the tool that an event names. A failure and a success of the same are known by these. */
export function namesIn(event: Telling): Names {
  const { taskId: task, tool } = factsOf(event);
  return { ...(isName(task) && { task }), ...(isName(tool) && { tool }) };
}

function isName(text: string | undefined): text is string {
  return text !== undefined && text.length <= MAX_NAME_CHARS;
}
