import type { MeshEvent } from '../contract/event.js';
import { readField } from './read-field.js';

/** Anything longer is no name. */
const MAX_NAME_CHARS = 200;

/** What works again, when an event tells of a success: the task and the tool that it names. */
export function worksIn({
  outcome,
  payload,
}: Pick<MeshEvent, 'outcome' | 'payload'>): { task?: string; tool?: string } | undefined {
  if (outcome !== 'success') return undefined;
  const task = nameIn(payload, 'taskId');
  const tool = nameIn(payload, 'tool');
  if (task === undefined && tool === undefined) return undefined;
  return { ...(task !== undefined && { task }), ...(tool !== undefined && { tool }) };
}

function nameIn(payload: MeshEvent['payload'], field: 'taskId' | 'tool'): string | undefined {
  const name = readField(payload, field);
  return name !== undefined && name.length <= MAX_NAME_CHARS ? name : undefined;
}
