import type { MeshEvent } from '#contract/event.js';
import { readField } from '#contract/read-field.js';

/** A longer text is no name. */
const MAX_NAME_CHARS = 200;

/** What works again, when an event tells of a success: the task and the tool that it names. */
export function worksIn({ outcome, payload }: Pick<MeshEvent, 'outcome' | 'payload'>): Names | undefined {
  if (outcome !== 'success') return undefined;
  const names = namesIn(payload);
  return names.task === undefined && names.tool === undefined ? undefined : names;
}

export interface Names {
  task?: string;
  tool?: string;
}

/** The task and the tool that an event names. A failure and a success of the same are known by these. */
export function namesIn(payload: MeshEvent['payload']): Names {
  const task = readField(payload, 'taskId');
  const tool = readField(payload, 'tool');
  return { ...(isName(task) && { task }), ...(isName(tool) && { tool }) };
}

function isName(text: string | undefined): text is string {
  return text !== undefined && text.length <= MAX_NAME_CHARS;
}
