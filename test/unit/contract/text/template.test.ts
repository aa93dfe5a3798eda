import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StartedAgent } from '#contract/remediation.js';
import { TEMPLATE_NAMES } from '#contract/text/template-text.js';
import { parseRuleset } from '#rules/parse-ruleset.js';
import { createRedactor } from '#contract/text/redact/redact.js';
import { MAX_SHOWN_PAYLOAD_BYTES, MAX_TEXT_CHARS, payloadJson, renderTemplate } from '#contract/text/template.js';
import { anEvent, aRule } from '../../../support/builders.js';
import { hostileText } from '../../../support/hostile-text.js';

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
    expect(renderTemplate(`<\${${name}}>`, { rule: 'my-rule', event })).toBe(`<${value}>`);
  });

  test('leaves a hole where the event has nothing to say', () => {
    expect(
      renderTemplate('[${TASK_SUBJECT}${TASK_DESCRIPTION}${TASK_ID}${ERROR}]', { rule: 'r', event: anEvent() }),
    ).toBe('[]');
  });

  test('fills in a name as often as it stands there', () => {
    expect(renderTemplate('${OUTCOME}, ${OUTCOME}', { rule: 'r', event })).toBe('timeout, timeout');
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
    expect(renderTemplate(text, { rule: 'r', event })).toBe(text);
  });

  test.each(['${PAYLOAD_JSON}', '$&', "$'", '$`', '$1', '$<name>', '${ERROR}'])(
    'never looks again at text from the event: %s',
    (error) => {
      expect(renderTemplate('<${ERROR}>', { rule: 'r', event: anEvent({ payload: { error } }) })).toBe(`<${error}>`);
    },
  );

  test('never puts a placeholder together from two parts', () => {
    const split = anEvent({ payload: { error: '${EVENT', task_subject: '_NAME}' } });

    expect(renderTemplate('${ERROR}${TASK_SUBJECT}', { rule: 'r', event: split })).toBe('${EVENT_NAME}');
  });

  test('carries any error text through unchanged', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (error) => {
        expect(renderTemplate('a${ERROR}b', { rule: 'r', event: anEvent({ payload: { error } }) })).toBe(`a${error}b`);
      }),
    );
  });

  test('cuts a text that grew too long, and says by how much', () => {
    const rendered = renderTemplate(`${EIGHT_ERRORS}and mor`, { rule: 'r', event: LONG_ERROR });

    expect(rendered).toBe(`${'e'.repeat(MAX_TEXT_CHARS)}… [cut: 7 more characters]`);
  });

  test('does not cut a text of just the allowed length', () => {
    expect(renderTemplate(EIGHT_ERRORS, { rule: 'r', event: LONG_ERROR })).toBe('e'.repeat(MAX_TEXT_CHARS));
  });

  // A fact is 8 KiB at most, and a text eight times as much.
  const EIGHT_ERRORS = '${ERROR}'.repeat(8);
  const LONG_ERROR = anEvent({ payload: { error: 'e'.repeat(MAX_TEXT_CHARS / 8) } });
});

describe('what a template tells of an agent', () => {
  const template = '${AGENT_OUTCOME}|${AGENT_ID}|${AGENT_OUTPUT_TAIL}';

  test('is empty when none was started before', () => {
    expect(renderTemplate(template, { rule: 'r', event })).toBe('||');
  });

  test.each<[StartedAgent, string]>([
    [
      { launcher: 'l', id: 'a-1', session: 's-1', outcome: 'failed', outputTail: 'gave up\n${ERROR}' },
      'failed|a-1|gave up\n${ERROR}',
    ],
    [{ launcher: 'l', session: 's-1', outcome: 'running' }, 'running|s-1|'],
    [{ launcher: 'l', outcome: 'timeout' }, 'timeout||'],
  ])('comes from the last one: %j', (agent, text) => {
    expect(renderTemplate(template, { rule: 'r', event, agent })).toBe(text);
  });
});

describe('with a redactor', () => {
  const redactor = createRedactor({ keys: ['customer'], patterns: [/C-\d+/g] });
  const secret = anEvent({ payload: { error: 'no account C-1', customer: 'ada', task_subject: 'For C-2' } });

  test.each([
    ['${ERROR}', 'no account [redacted]'],
    ['${TASK_SUBJECT}', 'For [redacted]'],
    ['${PAYLOAD_JSON}', '{"customer":"[redacted]","error":"no account [redacted]","task_subject":"For [redacted]"}'],
  ])('%s holds nothing that is secret here', (template, text) => {
    expect(renderTemplate(template, { rule: 'r', event: secret, redactor })).toBe(text);
  });
});

describe('payloadJson', () => {
  test('is cut on its own, so that one payload does not fill a whole message', () => {
    const json = payloadJson(anEvent({ payload: { a: 'x'.repeat(MAX_SHOWN_PAYLOAD_BYTES) } }));

    expect(json.slice(0, 8)).toBe('{"a":"xx');
    expect(json).toMatch(/… \[cut: 8 more characters\]$/);
  });

  test('is cut by bytes, and between characters', () => {
    const json = payloadJson(anEvent({ payload: { a: '😀'.repeat(MAX_SHOWN_PAYLOAD_BYTES) } }));

    const [kept = ''] = json.split('… [cut');
    expect(Buffer.byteLength(kept)).toBeGreaterThan(MAX_SHOWN_PAYLOAD_BYTES - 4);
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(MAX_SHOWN_PAYLOAD_BYTES);
    expect(kept.isWellFormed()).toBe(true);
  });

  test('shows what would be invisible, and still says the same', () => {
    const payload = { 'k\u200b': 'a\u202eb\u0007c\u2028d\u0085e\u{e0041}f\u3164g\ud800' };

    const json = payloadJson(anEvent({ payload }));

    expect(json).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(json)).toEqual(payload);
  });

  test('is one line, whatever the payload is', () => {
    fc.assert(
      fc.property(fc.dictionary(hostileText, fc.jsonValue()), (payload) => {
        const json = payloadJson(anEvent({ payload }));
        expect(json).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
        if (!json.includes('… [cut')) expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(payload)));
      }),
    );
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
