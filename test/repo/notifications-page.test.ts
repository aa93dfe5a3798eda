import { statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readRecorded } from '../notifications/recorded.js';
import { shotsOf } from '../notifications/shots.js';
import { writePage } from '../notifications/write-page.js';
import { readText, ROOT } from './markdown.js';

const MAX_IMAGE_BYTES = 150_000;

it('docs/notifications.md shows what is sent now (if not, and on purpose: npm run docs:notifications)', async () => {
  expect(readText('docs/notifications.md')).toBe(await writePage(await readRecorded()));
});

it('its pictures are there, and small', async () => {
  for (const { file } of shotsOf(await readRecorded())) {
    expect(statSync(`${ROOT}docs/images/${file}`).size).toBeLessThan(MAX_IMAGE_BYTES);
  }
});
