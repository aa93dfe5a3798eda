import type { Condition } from '#contract/ruleset.js';
import { shortened } from '#contract/text/shorten.js';
import { factsOf, type Telling } from '#contract/facts.js';
import { readPath } from './read-path.js';

/** Why an event does not meet a condition, in words; nothing when it does. All kinds must hold, any entry of a list does. */
export function missedCondition(condition: Condition, event: Telling): string | undefined {
  const { tool, status, error } = factsOf(event);
  return (
    missedNames('toolNames', condition.toolNames, tool) ??
    missedNames('taskStatuses', condition.taskStatuses, status) ??
    missedError(condition.errorIncludes, error) ??
    missedFields(condition.eventFieldEquals, event.payload ?? {})
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
