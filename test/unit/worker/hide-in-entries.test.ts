import { expect, test } from 'vitest';
import { parseMeshConfig } from '#config/mesh-config.js';
import type { Entry } from '#contract/record.js';
import { readSettings } from '#contract/settings.js';
import { hideInEntries } from '#worker/hide-in-entries.js';
import { eventually } from '../../support/eventually.js';

const SECRET = 'EMP-123';

test('what mesh.yaml calls secret is in nothing that is recorded', async () => {
  const parsed = parseMeshConfig("redact: { patterns: ['EMP-\\d+'] }", 'mesh.yaml');
  if (!parsed.ok) throw new Error('the configuration is good');
  const config = { get: async () => ({ available: true as const, value: parsed.value, hash: 'h', problems: [] }) };
  const hide = hideInEntries(readSettings({}).settings, config);
  const about = { at: 1, eventId: 'e', event: 'E', depth: 0, session: SECRET, tool: SECRET, task: SECRET };
  const missed = [{ rule: 'r', reason: SECRET }];
  const entries: Entry[] = [
    {
      ...{ kind: 'event', id: 'e', event: 'E', at: 1, depth: 0, error: `no ${SECRET}`, agent: SECRET, source: SECRET },
      ...{ session: SECRET, tool: SECRET, task: SECRET },
      verdicts: [
        { verdict: 'skip', code: 'no-match', reason: SECRET, missed, ...about },
        { verdict: 'fire', rule: 'r', action: 'a', ...about },
      ],
    },
    { kind: 'not-started', eventId: 'e', rule: 'r', reason: SECRET },
  ];

  const hidden = await eventually('what is secret', () => {
    const text = JSON.stringify(hide(entries));
    return text.includes('[redacted]') ? text : undefined;
  });

  expect(hidden).not.toContain(SECRET);
});

test('without secrets of its own, nothing is looked through', () => {
  const config = { get: async () => ({ available: false as const, problems: [] }) };
  const entries: Entry[] = [{ kind: 'not-started', eventId: 'e', rule: 'r', reason: 'why' }];

  expect(hideInEntries(readSettings({}).settings, config)(entries)).toBe(entries);
});
