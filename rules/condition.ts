import type { Condition } from '#contract/ruleset.js';
import { shortened } from '#contract/text/shorten.js';
import { readField } from '#contract/read-field.js';
import { readPath } from './read-path.js';

/** Why a payload does not meet a condition, in words; nothing when it does. All kinds must hold, any entry of a list does. */
export function missedCondition(condition: Condition, payload: Record<string, unknown>): string | undefined {
  return (
    missedNames('toolNames', condition.toolNames, readField(payload, 'tool')) ??
    missedNames('taskStatuses', condition.taskStatuses, readField(payload, 'status')) ??
    missedError(condition.errorIncludes, readField(payload, 'error')) ??
    missedFields(condition.eventFieldEquals, payload)
  );
}

function missedNames(kind: string, wanted: string[] | undefined, found: string | undefined): string | undefined {
  if (!wanted?.length || (found !== undefined && wanted.includes(found))) return undefined;
  return `${kind} found ${show(found)}, wants ${wanted.join(' or ')}`;
}

/** Looks at the first non-empty error text only: an `error` of "boom" hides a `message` of "timeout". */
function missedError(wanted: string[] | undefined, found: string | undefined): string | undefined {
  if (!wanted?.length) return undefined;
  const text = found?.toLowerCase();
  if (text !== undefined && wanted.some((part) => text.includes(part.toLowerCase()))) return undefined;
  return `errorIncludes found ${show(found)}, wants ${wanted.map((part) => JSON.stringify(part)).join(' or ')}`;
}

function missedFields(wanted: Condition['eventFieldEquals'], payload: Record<string, unknown>): string | undefined {
  for (const [path, value] of Object.entries(wanted ?? {})) {
    const found = readPath(payload, path);
    if (found !== value) return `eventFieldEquals found ${path} = ${show(found)}, wants ${show(value)}`;
  }
  return undefined;
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return shortened(JSON.stringify(value), 60);
}
