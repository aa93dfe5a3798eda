import { nearest } from './nearest.js';
import { text } from './schema-words.js';

export const TEMPLATE_NAMES = [
  'EVENT_NAME',
  'OUTCOME',
  'RULE_ID',
  'TASK_SUBJECT',
  'TASK_DESCRIPTION',
  'TASK_ID',
  'ERROR',
  'PAYLOAD_JSON',
  'AGENT_OUTCOME',
  'AGENT_ID',
  'AGENT_OUTPUT_TAIL',
] as const;
export type TemplateName = (typeof TEMPLATE_NAMES)[number];

/** A name in braces after a dollar sign, known or not. */
export const PLACEHOLDER = /\$\{([^{}]*)\}/g;

/** A text with `${NAME}` placeholders; a name nobody will fill in is refused here, since at night it would read as a hole. */
export const Template = text().superRefine((value, context) => {
  for (const [, name = ''] of value.matchAll(PLACEHOLDER)) {
    if ((TEMPLATE_NAMES as readonly string[]).includes(name)) continue;
    const guess = nearest(name, TEMPLATE_NAMES);
    context.addIssue({
      code: 'custom',
      message: `unknown template name \${${name}}`,
      params: {
        expected: `one of ${TEMPLATE_NAMES.join(', ')}`,
        hint: guess ? `did you mean "\${${guess}}"?` : `known: ${TEMPLATE_NAMES.join(', ')}`,
      },
    });
  }
});
