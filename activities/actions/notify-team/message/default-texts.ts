import { fieldReader, labelled, MAX_FIELD_CHARS } from '../../event-fields.js';
import type { MeshEvent } from '#contract/event.js';
import { oneLine } from '#contract/text/plain-text.js';
import type { Redactor } from '#contract/text/redact/redact.js';
import { payloadJson } from '#contract/text/template.js';

// What a message says when its rule gives no text of its own: the same parts as in the rule format.

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
