import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NO_PAINT } from '#client/cli/terminal/screen.js';
import type { Entry, TellRecord } from '#contract/record.js';
import type { LoggedVerdict } from '#contract/views/verdicts.js';
import { createLiveLines } from '#worker/live-lines.js';

const AT = Date.parse('2026-11-20T17:03:49Z');
const TIME = /^\d\d:\d\d:\d\d /;

let lines: string[];
let live: TellRecord;
let output: PassThrough;

beforeEach(() => {
  vi.useFakeTimers({ now: AT });
  lines = [];
  output = new PassThrough();
  output.on('data', (data) => lines.push(String(data).trimEnd().replace(TIME, '')));
  live = createLiveLines({ paint: NO_PAINT, output });
});

afterEach(() => void vi.useRealTimers());

function tell(entries: Entry[], tenant = 'default'): void {
  void live(tenant, entries);
}

function judged(verdicts: Partial<LoggedVerdict>[], more: object = {}): Entry {
  const about = { at: AT, eventId: 'e', event: 'PostToolUseFailure', depth: 0 };
  const given = verdicts.map((one) => ({ ...about, ...one }) as LoggedVerdict);
  return { kind: 'event', id: 'e', event: about.event, at: AT, depth: 0, outcome: 'failed', ...more, verdicts: given };
}

const FIRED = { verdict: 'fire', rule: 'r', action: 'a' } as const;
const COOLING = { verdict: 'skip', code: 'cooldown', reason: 'why', rule: 'q', action: 'a' } as const;
const NO_MATCH = { verdict: 'skip', code: 'no-match', reason: 'why' } as const;
const ENDED: Entry = {
  kind: 'ending',
  ...{ remediation: 'x', rule: 'r', eventId: 'e', event: 'PostToolUseFailure', eventOutcome: 'failed', tool: 'Bash' },
  outcome: 'executed',
  at: AT,
  tookMs: 1_200,
};

test('an event is one line: what, where, and what each rule did', () => {
  tell([judged([FIRED, { ...FIRED, action: 'b' }, COOLING], { tool: 'Bash', session: 'dev-7' })]);
  tell([judged([NO_MATCH])], 'shop');

  expect(lines).toEqual(['Bash failed (dev-7) → r fired, q cooldown', 'PostToolUseFailure failed → no-match [shop]']);
});

test('so is the end of a remediation', () => {
  tell([ENDED]);

  expect(lines).toEqual(['Bash failed → r → executed, 1 s']);
});

test('what an event says of itself cannot move the cursor', () => {
  tell([judged([NO_MATCH], { tool: '\u001b[2J', session: 'a\nb', outcome: '\u001b]0;x\u0007' })], '\u001b[1A');

  expect(lines).toEqual(['\\u001b[2J \\u001b]0;x\\u0007 (a\\u000ab) → no-match [\\u001b[1A]']);
});

test('a storm is ten lines a second, and one that tells of the rest', () => {
  tell([...Array.from({ length: 30 }, () => judged([NO_MATCH])), judged([FIRED]), ENDED]);
  expect(lines).toHaveLength(10);

  vi.advanceTimersByTime(1_000);
  expect(lines.slice(10)).toEqual(
    ['… and 21 events judged, 1 of them fired; 1 remediation ended within a second. All of them: npx mesh events'].map(
      (line) => expect.stringContaining(line) as string,
    ),
  );
  tell([judged([NO_MATCH])]);
  expect(lines).toHaveLength(12);
});

test('goes on when nobody reads the lines any more', () => {
  output.destroy();
  output.emit('error', new Error('EPIPE'));

  expect(() => tell([ENDED])).not.toThrow();
  expect(lines).toEqual([]);
});
