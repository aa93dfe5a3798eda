import { expect, test } from 'vitest';
import type { Doing } from '#contract/remediation.js';
import type { Why } from '#contract/views/story.js';
import { wordsOfDoing, wordsOfWhy } from '#contract/story-words.js';

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);

test.each<[Doing, string]>([
  [
    { is: 'waiting-for-slot', launcher: 'claude', slots: 4 },
    'waits for a free slot of claude, which runs 4 agents at a time',
  ],
  [{ is: 'waiting-to-retry', reason: 'nobody answers' }, 'waits to try again: nobody answers'],
  [
    { is: 'waiting-for-end', agent: 'agent run-1', untilAt: AT },
    'agent run-1 has until 2026-01-02 03:04:05 UTC to end',
  ],
  [
    { is: 'delivering', open: ['mail/bob', 'slack/ops'], untilAt: AT },
    'not delivered yet: mail/bob, slack/ops (tried until 2026-01-02 03:04:05 UTC at the latest)',
  ],
  [{ is: 'writing' }, 'writes the message'],
])('says what an action does: %j', (doing, words) => {
  expect(wordsOfDoing(doing)).toBe(words);
});

test.each<[Why, string]>([
  [{ code: 'said', text: 'exit code 7' }, 'exit code 7'],
  [{ code: 'cut-off', by: 'terminated', while: 'waiting' }, 'not started: the remediation was terminated before'],
  [
    { code: 'cut-off', by: 'timed-out', while: 'running' },
    'it ran when the remediation ran out of time; what became of it is not known',
  ],
])('says why an action stands as it does: %j', (why, words) => {
  expect(wordsOfWhy(why)).toBe(words);
});
