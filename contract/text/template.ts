import type { MeshEvent } from '../event.js';
import { UNSEEN } from './plain-text.js';
import type { StartedAgent } from '../remediation.js';
import { PLACEHOLDER, type TemplateName } from './template-text.js';
import { canonicalJson } from './canonical-json.js';
import { cutText } from './shorten.js';
import { type FactName, factsOf } from '../facts.js';
import type { Redactor } from './redact/redact.js';

export const MAX_SHOWN_PAYLOAD_BYTES = 16 * 1024;
export const MAX_TEXT_CHARS = 65_536;

/** What a template may tell of. */
export interface TemplateContext {
  rule: string;
  event: MeshEvent;
  /** The last agent that was started before, see `last-agent.ts`. */
  agent?: StartedAgent | undefined;
  /** Hides what the configuration calls secret; what is secret by its own look was hidden when the event came. */
  redactor?: Redactor | undefined;
}

export type TemplateValues = Record<TemplateName, () => string>;

/**
 * Fills in a template in one pass: text that was substituted is never looked at again, so an event whose error is
 * "${PAYLOAD_JSON}" says just that.
 */
export function renderTemplate(
  template: string,
  context: TemplateContext,
  values: TemplateValues = templateValues(context),
): string {
  const rendered = template.replace(PLACEHOLDER, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? values[name as TemplateName]() : placeholder,
  );
  return cutText(rendered, MAX_TEXT_CHARS);
}

/** Empty where the event has nothing to say, or no agent was started before. */
export function templateValues({ rule, event, agent, redactor }: TemplateContext): TemplateValues {
  const field = (name: FactName) => () => hide(factsOf(event)[name] ?? '', redactor);
  return {
    EVENT_NAME: () => event.event,
    OUTCOME: () => event.outcome,
    RULE_ID: () => rule,
    TASK_SUBJECT: field('taskSubject'),
    TASK_DESCRIPTION: field('taskDescription'),
    TASK_ID: field('taskId'),
    ERROR: field('error'),
    PAYLOAD_JSON: () => payloadJson(event, redactor),
    AGENT_OUTCOME: () => agent?.outcome ?? '',
    AGENT_ID: () => agent?.id ?? agent?.session ?? '',
    AGENT_OUTPUT_TAIL: () => agent?.outputTail ?? '',
  };
}

/** The payload in one line of JSON, as much of it as anybody is shown; `tricks` are characters that are not shown as they are. */
export function payloadJson(event: MeshEvent, redactor?: Redactor, tricks = UNSEEN): string {
  const payload = redactor === undefined ? event.payload : redactor.value(event.payload);
  return cutBytes(escaped(canonicalJson(payload), tricks), MAX_SHOWN_PAYLOAD_BYTES);
}

function hide(text: string, redactor: Redactor | undefined): string {
  return redactor === undefined ? text : redactor.text(text);
}

/** As JSON also writes them: the value stays the same. */
function escaped(json: string, characters: RegExp): string {
  return json.replace(characters, (char) =>
    Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}

function cutBytes(text: string, max: number): string {
  // The encoder stops before a character that does not fit, so that none is cut in half.
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(max));
  return read === text.length ? text : `${text.slice(0, read)}… [cut: ${text.length - read} more characters]`;
}
