import { expect, test } from 'vitest';
import { textWidth } from '#client/cli/terminal/text-width.js';
import { wrapToWidth } from '#client/cli/terminal/table.js';

const VERDICTS = 'retry-failed-tool: fire; trial: shadow; tell: cooldown';

test('what fits stays on one line', () => {
  expect(wrapToWidth(VERDICTS, 54, 3)).toEqual([VERDICTS]);
});

test('breaks after commas and semicolons, so that what belongs together stays together', () => {
  expect(wrapToWidth(VERDICTS, 25, 4)).toEqual(['retry-failed-tool: fire;', 'trial: shadow;', 'tell: cooldown']);
  expect(wrapToWidth('4 cooldown, 1 dedup, 2 shadow', 20, 4)).toEqual(['4 cooldown, 1 dedup,', '2 shadow']);
});

test('breaks at other blanks where that is not enough, and within a word that no line has room for', () => {
  expect(wrapToWidth(VERDICTS, 18, 9)).toEqual(['retry-failed-tool:', 'fire;', 'trial: shadow;', 'tell: cooldown']);
  expect(wrapToWidth('a-rather-long-rule: fire', 10, 9)).toEqual(['a-rather-l', 'ong-rule:', 'fire']);
});

test('has no more lines than it may, and shows that there is more', () => {
  expect(wrapToWidth(VERDICTS, 25, 2)).toEqual(['retry-failed-tool: fire;', 'trial: shadow; tell: coo…']);
  expect(wrapToWidth(VERDICTS, 25, 1)).toEqual(['retry-failed-tool: fire;…']);
});

test('no line is too wide, whatever is in it', () => {
  for (const width of [1, 2, 5, 12]) {
    for (const line of wrapToWidth('雪雪雪雪 x, , ;  yy; 雪', width, 3))
      expect(textWidth(line)).toBeLessThanOrEqual(width);
  }
});
