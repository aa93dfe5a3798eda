import { describe, expect, test } from 'vitest';
import { missedCondition } from '../../../rules/condition.js';

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
    expect(missedCondition(condition, payload)).toBeUndefined();
  });

  test.each<[string, Condition, Payload, string]>([
    [
      'another tool',
      { toolNames: ['Edit', 'Bash'] },
      { tool_name: 'Write' },
      'toolNames wants Edit or Bash, found "Write"',
    ],
    ['no tool', { toolNames: ['Edit'] }, {}, 'toolNames wants Edit, found nothing'],
    ['a tool in another case', { toolNames: ['Edit'] }, { tool_name: 'edit' }, 'toolNames wants Edit, found "edit"'],
    [
      'a pattern, which is no pattern here',
      { toolNames: ['mcp__*'] },
      { tool_name: 'mcp__x' },
      'toolNames wants mcp__*, found "mcp__x"',
    ],
    ['a tool that is not a text', { toolNames: ['1'] }, { tool_name: 1 }, 'toolNames wants 1, found nothing'],
    ['another status', { taskStatuses: ['failed'] }, { status: 'ok' }, 'taskStatuses wants failed, found "ok"'],
    ['another error', { errorIncludes: ['a', 'b'] }, { error: 'c' }, 'errorIncludes wants "a" or "b", found "c"'],
    [
      'an error hidden by the first',
      { errorIncludes: ['timeout'] },
      { error: 'boom', message: 'timeout' },
      'errorIncludes wants "timeout", found "boom"',
    ],
    [
      'an error that is an object',
      { errorIncludes: ['x'] },
      { error: { text: 'x' } },
      'errorIncludes wants "x", found nothing',
    ],
    ['a number as text', { eventFieldEquals: { n: 3 } }, { n: '3' }, 'eventFieldEquals wants n = 3, found "3"'],
    ['nothing for false', { eventFieldEquals: { ok: false } }, {}, 'eventFieldEquals wants ok = false, found nothing'],
    [
      'null for a text',
      { eventFieldEquals: { a: 'null' } },
      { a: null },
      'eventFieldEquals wants a = "null", found null',
    ],
    [
      'a list for a text',
      { eventFieldEquals: { a: 'x' } },
      { a: ['x'] },
      'eventFieldEquals wants a = "x", found a list',
    ],
    [
      'an object for a text',
      { eventFieldEquals: { a: 'x' } },
      { a: {} },
      'eventFieldEquals wants a = "x", found an object',
    ],
    [
      'something inherited',
      { eventFieldEquals: { 'constructor.name': 'Object' } },
      {},
      'eventFieldEquals wants constructor.name = "Object", found nothing',
    ],
    [
      'one of two fields',
      { eventFieldEquals: { a: 1, b: 2 } },
      { a: 1, b: 3 },
      'eventFieldEquals wants b = 2, found 3',
    ],
    [
      'the last kind only',
      { toolNames: ['Bash'], errorIncludes: ['x'] },
      { tool_name: 'Bash', error: 'y' },
      'errorIncludes wants "x", found "y"',
    ],
  ])('says what it found: %s', (_, condition, payload, missed) => {
    expect(missedCondition(condition, payload)).toBe(missed);
  });

  test('shows a long error only in part', () => {
    const missed = missedCondition({ errorIncludes: ['x'] }, { error: 'e'.repeat(10_000) }) ?? '';

    expect(missed.length).toBeLessThan(120);
    expect(missed).toMatch(/…$/);
  });
});
