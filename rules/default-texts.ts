import type { MeshEvent } from '../contract/event.js';
import { agentPayload, agentText } from './agent-text.js';
import { oneLine } from './one-line.js';
import { readField } from './guards/read-field.js';
import type { Redactor } from './redact.js';
import { payloadJson, type TemplateContext } from './template.js';

// What an action says when its rule gives no text of its own: the same parts as in the rule format.

export function defaultSpawnDescription(event: MeshEvent): string {
  return `Fallback recovery: ${event.event} (${event.outcome})`;
}

export function defaultPrompt({ rule, event, redactor }: TemplateContext): string {
  const read = fieldReader(event, redactor);
  const field = (name: Parameters<typeof read>[0]) => {
    const value = read(name);
    return value === undefined ? undefined : agentText(value);
  };
  return [
    'You are a fallback agent, started because something went wrong in an agent run.',
    '',
    ...labelled([
      ['Event', event.event],
      ['Outcome', event.outcome],
      ['Rule ID', oneLine(rule, MAX_FIELD_CHARS)],
      ['Task subject', field('taskSubject')],
      ['Task description', field('taskDescription')],
      ['Failure details', field('error')],
    ]),
    '',
    'Goal: make the smallest safe attempt to get the task done, then report what you did and what is left.',
    '',
    agentPayload(event, redactor),
  ].join('\n');
}

export function defaultSummary(rule: string, event: MeshEvent): string {
  return `Hook chain ${rule} triggered (${event.event}/${event.outcome})`;
}

export function defaultMessage(rule: string, event: MeshEvent, redactor?: Redactor): string {
  const field = fieldReader(event, redactor);
  return [
    'A chain rule fired.',
    '',
    ...labelled([
      ['Rule', oneLine(rule, MAX_FIELD_CHARS)],
      ['Event', event.event],
      ['Outcome', event.outcome],
      ['Error', field('error') ?? 'n/a'],
      ['Task', field('taskSubject') ?? field('taskId') ?? 'n/a'],
      ['Session', event.session === undefined ? undefined : oneLine(event.session, MAX_FIELD_CHARS)],
      ['Payload', payloadJson(event, redactor)],
    ]),
  ].join('\n');
}

const MAX_FIELD_CHARS = 1_000;

/** Text of an event beside a label must not look like a label of its own. */
function fieldReader({ payload }: MeshEvent, redactor: Redactor | undefined) {
  return (name: Parameters<typeof readField>[1]): string | undefined => {
    const value = readField(payload, name);
    return value === undefined ? undefined : oneLine(redactor?.text(value) ?? value, MAX_FIELD_CHARS);
  };
}

function labelled(lines: [label: string, value: string | undefined][]): string[] {
  return lines.flatMap(([label, value]) => (value === undefined ? [] : [`${label}: ${value}`]));
}
