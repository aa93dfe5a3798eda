import { expect, test } from 'vitest';
import { quoted } from '#contract/text/words.js';

test.each(['Bash', 'mcp__ci__run_tests', '17', 'a/b:c.d-e', '2026-01-02'])('%s is a plain word', (word) => {
  expect(quoted(word)).toBe(word);
});

test.each([
  ['Bash is quiet until 2030', '"Bash is quiet until 2030"'],
  ['', '""'],
  ['a" is over, and "b', `"a' is over, and 'b"`],
  ['a\u201d is over', `"a' is over"`],
  ['Bash\u3164is\u00a0quiet', '"Bash\u3164is\u00a0quiet"'],
  ['a\nb', '"a\nb"'],
  ['größe', '"größe"'],
])('%j stands in quotes that nothing in it ends', (value, shown) => {
  expect(quoted(value)).toBe(shown);
});
