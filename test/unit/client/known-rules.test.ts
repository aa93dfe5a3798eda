import { expect, test } from 'vitest';
import { knownRules } from '#client/known-rules.js';
import { aFire, aSkip, aStatus } from './cli/render/samples.js';

test('a rule is known that was counted, has a window, or looked away, and each once', () => {
  const untilAt = 1;
  const status = aStatus({
    counters: { events: 1, fired: 1, skipped: {}, rules: { counted: { fired: 1, skipped: {} } } },
    guards: {
      ...aStatus().guards,
      cooldowns: [
        { rule: 'counted', untilAt },
        { rule: 'cooling', untilAt },
      ],
      dedups: [{ rule: 'repeating', action: 'a', untilAt }],
    },
  });
  const log = [
    aFire('counted', 'a', { missed: [{ rule: 'looked-away', reason: 'trigger wants Stop' }] }),
    aSkip('paused', 'tenant is paused'),
  ];

  expect(knownRules(status, log)).toEqual(['counted', 'cooling', 'repeating', 'looked-away']);
});
