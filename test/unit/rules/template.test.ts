import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TEMPLATE_NAMES } from '../../../contract/template-text.js';
import { parseRuleset } from '../../../rules/parse-ruleset.js';
import { MAX_PAYLOAD_CHARS, MAX_TEXT_CHARS, payloadJson, renderTemplate } from '../../../rules/template.js';
import { anEvent, aRule } from '../../support/builders.js';

const event = anEvent({
  event: 'TaskCompleted',
  outcome: 'timeout',
  payload: { task_subject: 'Build', task_description: 'Build it all', task_id: 't-1', error: 'too slow' },
});

describe('renderTemplate', () => {
  test.each([
    ['EVENT_NAME', 'TaskCompleted'],
    ['OUTCOME', 'timeout'],
    ['RULE_ID', 'my-rule'],
    ['TASK_SUBJECT', 'Build'],
    ['TASK_DESCRIPTION', 'Build it all'],
    ['TASK_ID', 't-1'],
    ['ERROR', 'too slow'],
    ['PAYLOAD_JSON', '{"error":"too slow","task_description":"Build it all","task_id":"t-1","task_subject":"Build"}'],
  ])('fills in ${%s}', (name, value) => {
    expect(renderTemplate(`<\${${name}}>`, 'my-rule', event)).toBe(`<${value}>`);
  });

  test('leaves a hole where the event has nothing to say', () => {
    expect(renderTemplate('[${TASK_SUBJECT}${TASK_DESCRIPTION}${TASK_ID}${ERROR}]', 'r', anEvent())).toBe('[]');
  });

  test('fills in a name as often as it stands there', () => {
    expect(renderTemplate('${OUTCOME}, ${OUTCOME}', 'r', event)).toBe('timeout, timeout');
  });

  test.each([
    '$EVENT_NAME',
    '$100',
    '{EVENT_NAME}',
    '${EVENT_NAME',
    '$ {EVENT_NAME}',
    '\\$',
    '$&',
    '$1',
    '${event_name}',
  ])('leaves %s as it is', (text) => {
    expect(renderTemplate(text, 'r', event)).toBe(text);
  });

  test.each(['${PAYLOAD_JSON}', '$&', "$'", '$`', '$1', '$<name>', '${ERROR}'])(
    'never looks again at text from the event: %s',
    (error) => {
      expect(renderTemplate('<${ERROR}>', 'r', anEvent({ payload: { error } }))).toBe(`<${error}>`);
    },
  );

  test('never puts a placeholder together from two parts', () => {
    const split = anEvent({ payload: { error: '${EVENT', task_subject: '_NAME}' } });

    expect(renderTemplate('${ERROR}${TASK_SUBJECT}', 'r', split)).toBe('${EVENT_NAME}');
  });

  test('carries any error text through unchanged', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (error) => {
        expect(renderTemplate('a${ERROR}b', 'r', anEvent({ payload: { error } }))).toBe(`a${error}b`);
      }),
    );
  });

  test('cuts a text that grew too long, and says by how much', () => {
    const rendered = renderTemplate('${ERROR}', 'r', anEvent({ payload: { error: 'e'.repeat(MAX_TEXT_CHARS + 7) } }));

    expect(rendered).toBe(`${'e'.repeat(MAX_TEXT_CHARS)}… [cut: 7 more characters]`);
  });

  test('does not cut a text of just the allowed length', () => {
    const error = 'e'.repeat(MAX_TEXT_CHARS);

    expect(renderTemplate('${ERROR}', 'r', anEvent({ payload: { error } }))).toBe(error);
  });
});

describe('payloadJson', () => {
  test('is cut on its own, so that one payload does not fill a whole message', () => {
    const json = payloadJson(anEvent({ payload: { a: 'x'.repeat(MAX_PAYLOAD_CHARS) } }));

    expect(json.slice(0, 8)).toBe('{"a":"xx');
    expect(json).toMatch(/… \[cut: 8 more characters\]$/);
  });
});

describe('a template in a rule file', () => {
  test.each(TEMPLATE_NAMES)('may name ${%s}', (name) => {
    expect(problemsOf(`x \${${name}} y`)).toEqual([]);
  });

  test.each([
    ['${EVENT_NAM}', 'unknown template name ${EVENT_NAM}', 'did you mean "${EVENT_NAME}"?'],
    ['${event_name}', 'unknown template name ${event_name}', 'did you mean "${EVENT_NAME}"?'],
    ['${ ERROR }', 'unknown template name ${ ERROR }', 'did you mean "${ERROR}"?'],
    ['${}', 'unknown template name ${}', `known: ${TEMPLATE_NAMES.join(', ')}`],
    ['${SECRET_SAUCE}', 'unknown template name ${SECRET_SAUCE}', `known: ${TEMPLATE_NAMES.join(', ')}`],
  ])('may not name %s', (template, message, hint) => {
    expect(problemsOf(template)).toEqual([
      expect.objectContaining({ path: 'rules[0].actions[0].summary', message, hint }),
    ]);
  });

  test('has each of its wrong names named', () => {
    expect(problemsOf('${A_NAME} ${ERROR} ${B_NAME}')).toHaveLength(2);
  });

  test.each(['$HOME', '$100', '${unclosed', 'a } b { c'])('may say %s, which is no placeholder', (template) => {
    expect(problemsOf(template)).toEqual([]);
  });

  test.each(['description', 'promptTemplate'])('is checked in %s too', (field) => {
    const rule = aRule({ actions: [{ type: 'spawn_fallback_agent', [field]: '${NOPE}' }] });

    const parsed = parseRuleset(JSON.stringify({ rules: [rule] }), 'f');

    expect(parsed).toMatchObject({ ok: false, problems: [{ path: `rules[0].actions[0].${field}` }] });
  });

  test('is checked in messageTemplate too', () => {
    const rule = aRule({ actions: [{ type: 'notify_team', messageTemplate: '${NOPE}' }] });

    const parsed = parseRuleset(JSON.stringify({ rules: [rule] }), 'f');

    expect(parsed).toMatchObject({ ok: false, problems: [{ path: 'rules[0].actions[0].messageTemplate' }] });
  });
});

function problemsOf(summary: string) {
  const parsed = parseRuleset(JSON.stringify({ rules: [aRule({ actions: [{ type: 'notify_team', summary }] })] }), 'f');
  return parsed.ok ? [] : parsed.problems;
}
