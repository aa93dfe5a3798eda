import type { MeshEvent } from '../contract/event.js';
import { PLACEHOLDER, type TemplateName } from '../contract/template-text.js';
import { canonicalJson } from './canonical-json.js';
import { readField } from './read-field.js';

export const MAX_PAYLOAD_CHARS = 16_384;
export const MAX_TEXT_CHARS = 65_536;

/**
 * Fills in a template in one pass: text that was substituted is never looked at again, so an event whose error is
 * "${PAYLOAD_JSON}" says just that.
 */
export function renderTemplate(template: string, rule: string, event: MeshEvent): string {
  const values = templateValues(rule, event);
  const rendered = template.replace(PLACEHOLDER, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? values[name as TemplateName]() : placeholder,
  );
  return cut(rendered, MAX_TEXT_CHARS);
}

export function payloadJson(event: MeshEvent): string {
  return cut(canonicalJson(event.payload), MAX_PAYLOAD_CHARS);
}

function templateValues(rule: string, event: MeshEvent): Record<TemplateName, () => string> {
  const field = (name: Parameters<typeof readField>[1]) => () => readField(event.payload, name) ?? '';
  return {
    EVENT_NAME: () => event.event,
    OUTCOME: () => event.outcome,
    RULE_ID: () => rule,
    TASK_SUBJECT: field('taskSubject'),
    TASK_DESCRIPTION: field('taskDescription'),
    TASK_ID: field('taskId'),
    ERROR: field('error'),
    PAYLOAD_JSON: () => payloadJson(event),
  };
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}… [cut: ${text.length - max} more characters]`;
}
