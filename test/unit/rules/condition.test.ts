import { describe, expect, test } from 'vitest';
import { missedCondition } from '#rules/match.js';

type Condition = Parameters<typeof missedCondition>[0];
type Payload = Record<string, unknown>;

describe('missedCondition', () => {
  test.each<[string, Condition, Payload]>([
    ['an empty condition', {}, {}],
    [
      'empty lists, which ask for nothing',
      { toolNames: [], taskStatuses: [], errorIncludes: [], eventFieldEquals: {} },
      {},
    ],
    ['one of several tools', { toolNames: ['Edit', 'Bash'] }, { tool_name: 'Bash' }],
    ['a tool under its other key', { toolNames: ['Bash'] }, { toolName: 'Bash' }],
    ['one of several statuses', { taskStatuses: ['failed', 'lost'] }, { status: 'lost' }],
    ['a part of the error, in any case', { errorIncludes: ['TimeOut'] }, { error: 'Gateway TIMEOUT' }],
    ['the error under another key', { errorIncludes: ['timeout'] }, { message: 'timeout' }],
    ['a number', { eventFieldEquals: { attempt: 3 } }, { attempt: 3 }],
    ['false', { eventFieldEquals: { 'meta.ok': false } }, { meta: { ok: false } }],
    ['an empty text', { eventFieldEquals: { note: '' } }, { note: '' }],
    ['a place in a list', { eventFieldEquals: { 'items.1.id': 'b', 'items.length': 2 } }, { items: [{}, { id: 'b' }] }],
    [
      'all kinds at once',
      { toolNames: ['Bash'], errorIncludes: ['x'], eventFieldEquals: { a: 1 } },
      { tool_name: 'Bash', error: 'x', a: 1 },
    ],
  ])('holds for %s', (_, condition, payload) => {
    expect(missedCondition(condition, { payload })).toBeUndefined();
  });

  test.each<[string, Condition, Payload, string]>([
    [
      'another tool',
      { toolNames: ['Edit', 'Bash'] },
      { tool_name: 'Write' },
      'toolNames found "Write", wants Edit or Bash',
    ],
    ['no tool', { toolNames: ['Edit'] }, {}, 'toolNames found nothing, wants Edit'],
    ['a tool in another case', { toolNames: ['Edit'] }, { tool_name: 'edit' }, 'toolNames found "edit", wants Edit'],
    [
      'a pattern, which is no pattern here',
      { toolNames: ['mcp__*'] },
      { tool_name: 'mcp__x' },
      'toolNames found "mcp__x", wants mcp__*',
    ],
    ['a tool that is not a text', { toolNames: ['1'] }, { tool_name: 1 }, 'toolNames found nothing, wants 1'],
    ['another status', { taskStatuses: ['failed'] }, { status: 'ok' }, 'taskStatuses found "ok", wants failed'],
    ['another error', { errorIncludes: ['a', 'b'] }, { error: 'c' }, 'errorIncludes found "c", wants "a" or "b"'],
    [
      'an error hidden by the first',
      { errorIncludes: ['timeout'] },
      { error: 'boom', message: 'timeout' },
      'errorIncludes found "boom", wants "timeout"',
    ],
    [
      'an error that is an object',
      { errorIncludes: ['x'] },
      { error: { text: 'x' } },
      'errorIncludes found nothing, wants "x"',
    ],
    ['a number as text', { eventFieldEquals: { n: 3 } }, { n: '3' }, 'eventFieldEquals found n = "3", wants 3'],
    ['nothing for false', { eventFieldEquals: { ok: false } }, {}, 'eventFieldEquals found ok = nothing, wants false'],
    [
      'null for a text',
      { eventFieldEquals: { a: 'null' } },
      { a: null },
      'eventFieldEquals found a = null, wants "null"',
    ],
    [
      'a list for a text',
      { eventFieldEquals: { a: 'x' } },
      { a: ['x'] },
      'eventFieldEquals found a = a list, wants "x"',
    ],
    [
      'an object for a text',
      { eventFieldEquals: { a: 'x' } },
      { a: {} },
      'eventFieldEquals found a = an object, wants "x"',
    ],
    [
      'something inherited',
      { eventFieldEquals: { 'constructor.name': 'Object' } },
      {},
      'eventFieldEquals found constructor.name = nothing, wants "Object"',
    ],
    [
      'one of two fields',
      { eventFieldEquals: { a: 1, b: 2 } },
      { a: 1, b: 3 },
      'eventFieldEquals found b = 3, wants 2',
    ],
    [
      'the last kind only',
      { toolNames: ['Bash'], errorIncludes: ['x'] },
      { tool_name: 'Bash', error: 'y' },
      'errorIncludes found "y", wants "x"',
    ],
  ])('says what it found: %s', (_, condition, payload, missed) => {
    expect(missedCondition(condition, { payload })).toBe(missed);
  });

  test('shows a long error only in part', () => {
    const missed = missedCondition({ errorIncludes: ['x'] }, { payload: { error: 'e'.repeat(10_000) } }) ?? '';

    expect(missed.length).toBeLessThan(120);
    expect(missed).toContain('…');
  });
});
