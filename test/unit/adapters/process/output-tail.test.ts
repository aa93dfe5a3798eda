import { expect, test } from 'vitest';
import { createTailReader, MAX_TAIL_CHARS } from '#adapters/process/output-tail.js';
import { createRedactor } from '#contract/text/redact/redact.js';

function tailOf(text: string, { isCut = false, secrets = [] as string[] } = {}) {
  return createTailReader(createRedactor({ patterns: [/C-\d+/g] }), secrets).read({ text, isCut });
}

test.each([
  ['nothing', '', '', 'no output'],
  ['only space', ' \n\t', '', 'no output'],
  ['lines', 'one\r\ntwo\n', 'one\ntwo', 'output: one\ntwo'],
  ['a line that is painted over', '10%\r100%', '10%\n100%', 'output: 10%\n100%'],
  ['colours and tricks', '\u001b[31mred\u001b[0m\u202e\u0000', '\\u001b[31mred\\u001b[0m\\u202e\\u0000', undefined],
  ['tabs', 'a\tb', 'a  b', undefined],
  ['what the configuration calls secret', 'account C-1234', 'account [redacted]', undefined],
])('%s', (_what, text, outputTail, detail = `output: ${outputTail}`) => {
  expect(tailOf(text)).toEqual({ outputTail, detail });
});

test('the texts that the program was given as secrets are hidden, the longest first', () => {
  const secrets = ['abcdef', 'abcdef-ghijkl', 'abc'];

  expect(tailOf('abcdef-ghijkl abcdef abc', { secrets }).outputTail).toBe('[redacted] [redacted] abc');
});

test('the last characters are kept, also when they become longer by being shown', () => {
  expect(tailOf(`${'x'.repeat(5_000)}END`).outputTail).toMatch(/^x{1997}END$/);
  expect(tailOf('\u0007'.repeat(1_000)).outputTail).toHaveLength(MAX_TAIL_CHARS);
});

test('no half of an emoji is kept', () => {
  expect(tailOf(`😀${'x'.repeat(1_999)}`).outputTail.isWellFormed()).toBe(true);
});

test('what may be the end of a secret is not shown', () => {
  const halfKey = `${'QUJD'.repeat(500)}\n-----END PRIVATE KEY-----\n`;

  // Behind it stands a whole one, which is hidden, so that there is room in the tail.
  const key = `-----BEGIN PRIVATE KEY-----\n${'QUJD'.repeat(3_000)}\n-----END PRIVATE KEY-----`;
  const { outputTail } = tailOf(`${halfKey}${key}`, { isCut: true });

  expect(outputTail).not.toContain('QUJD');
});
