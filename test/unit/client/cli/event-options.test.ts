import { Command } from 'commander';
import { expect, test } from 'vitest';
import {
  addEventOptions,
  filterFrom,
  instantFrom,
  writtenFilter,
  type EventOptions,
} from '#client/cli/event-options.js';

const NOW = Date.parse('2026-11-20T12:00:00Z');

function parse(...words: string[]): EventOptions {
  const command = addEventOptions(new Command()).option('--since <when>').option('--tenant <name>').exitOverride();
  return command.parse(words, { from: 'user' }).opts<EventOptions>();
}

test.each<[string[], object]>([
  [[], {}],
  [
    ['--session', 's', '--tool', 'Bash', '--rule', 'r', '--event', 'E'],
    { session: 's', tool: 'Bash', rule: 'r', event: 'E' },
  ],
  [['--fired'], { verdict: 'fired' }],
  [['--skipped'], { verdict: 'skipped' }],
  [['--skipped', 'cooldown'], { code: 'cooldown' }],
  [['--since', '2h', '--tenant', 'shop'], { sinceAt: NOW - 7_200_000, tenant: 'shop' }],
])('%j picks %j', (words, filter) => {
  expect(filterFrom(parse(...words), NOW)).toEqual({ tenant: 'default', ...filter });
});

test('the filter is written as it was given, for the next page', () => {
  const options = parse('--session', 'my session', '--skipped', 'dedup', '--since', '2h');
  // Two hours ago is another time when the next page is asked for.
  const written = "--session 'my session' --skipped dedup --since 2026-11-20T10:00:00.000Z";
  expect(writtenFilter(options, filterFrom(options, NOW)).join(' ')).toBe(written);
  expect(writtenFilter(parse('--skipped'), {})).toEqual(['--skipped']);
});

test('a code that is none is told, with what it may have been', () => {
  expect(() => filterFrom(parse('--skipped', 'cooldwn'), NOW)).toThrow(/did you mean cooldown\?/);
});

test.each([
  ['90s', NOW - 90_000],
  ['30m', NOW - 1_800_000],
  ['7d', NOW - 604_800_000],
  ['2026-11-20', Date.parse('2026-11-20T00:00:00Z')],
  ['2026-11-20T03:07:00Z', Date.parse('2026-11-20T03:07:00Z')],
])('%s is a time', (written, at) => {
  expect(instantFrom('--since', written, NOW)).toBe(at);
});

test.each(['', 'yesterday', '2', '2 h', '-1h', '2026-13-45', '11/20/2026'])(
  '%j is none, and the error says what is',
  (written) => {
    expect(() => instantFrom('--since', written, NOW)).toThrow(/--since: expected how long ago, such as 30m, 2h or 7d/);
  },
);
