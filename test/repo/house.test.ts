import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ARROWS } from '../house/import-graph.js';
import { codeBlocksOf, codesIn, readText, ROOT, tableBelow } from './markdown.js';

const PAGE = 'docs/house.md';

// When one of these fails: npm run house

it('docs/house.md measures the rooms there are', () => {
  const rooms = tableBelow(PAGE, 'Rooms').map((row) => codesIn(row['room'])[0]);

  expect(rooms).toEqual([...Object.keys(ARROWS), 'all']);
});

it('docs/house.md walks through files that exist', () => {
  const [walk = ''] = codeBlocksOf(readText(PAGE));
  const files = walk.split('\n').flatMap((line) => /^ {2}(\S+)$/.exec(line)?.[1] ?? []);

  expect(files.length).toBeGreaterThan(30);
  expect(files.filter((path) => !existsSync(`${ROOT}${path}`))).toEqual([]);
});
