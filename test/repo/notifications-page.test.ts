import { statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pagesOf, readPictured } from '../notifications/pictured.js';
import { asRecorded, planAgain } from '../notifications/plan-again.js';
import { readRecorded } from '../notifications/recorded.js';
import { shotsOf } from '../notifications/shots.js';
import { STABLE_SETTING } from '../notifications/stable-story.js';
import { writeMessages } from '../notifications/write-messages.js';
import { writePage } from '../notifications/write-page.js';
import { readText, ROOT } from './markdown.js';

// When one of these fails, and on purpose: npm run docs:notifications

const MAX_IMAGE_BYTES = 150_000;

it('docs/notifications.md shows what is sent now', async () => {
  expect(readText('docs/notifications.md')).toBe(await writePage(await readRecorded()));
});

it('to whom it is sent now, under the same keys and in the same threads', async () => {
  const recorded = await readRecorded();

  expect(await planAgain(recorded)).toEqual(asRecorded(recorded));
});

it('with good news under the key by which the alert was opened', async () => {
  const { incident, resolved } = writeMessages(await readRecorded(), STABLE_SETTING);

  const keys = [...incident.pagerduty, ...resolved.pagerduty].map(({ event_action, dedup_key }) => [
    event_action,
    dedup_key,
  ]);
  expect(keys).toEqual([
    ['trigger', incident.pagerduty[0]?.dedup_key],
    ['resolve', incident.pagerduty[0]?.dedup_key],
  ]);
});

it('its pictures are there, small, and of the mails as they look now', async () => {
  const shots = shotsOf(await readRecorded());

  for (const { file } of shots) expect(statSync(`${ROOT}docs/images/${file}`).size).toBeLessThan(MAX_IMAGE_BYTES);
  expect(await readPictured()).toEqual(pagesOf(shots));
});
