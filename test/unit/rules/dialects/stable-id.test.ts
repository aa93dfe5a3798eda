import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EVENT_ID } from '#contract/event.js';
import { shortHash } from '#contract/hash.js';
import { stableId } from '#rules/dialects/stable-id.js';
import { createRedactor } from '#contract/text/redact/redact.js';

const redactor = createRedactor();

/** What stands before secrets in texts. */
const NAMES = fc.constantFrom('token', 'my-password', 'api_key', 'x.secret', 'Authorization', 'pwd', 'Bearer');

describe('stableId', () => {
  test('keeps parts readable that fit', () => {
    expect(stableId('cc', ['1111-22', 'PostToolUse', 'toolu_01'])).toBe('cc:1111-22:PostToolUse:toolu_01');
  });

  test.each([
    ['has a colon, which stands between parts', 'a:b'],
    ['has a space', 'a b'],
    ['has letters of no id', 'café'],
    ['is empty', ''],
    ['looks like a hash', '~a'],
    ['is too long for its share', 'x'.repeat(99)],
  ])('hashes a part that %s', (_, part) => {
    expect(stableId('ce', [part, 'b'])).toBe(`ce:~${shortHash(part)}:b`);
  });

  test.each([
    ['a session with a telling name', ['build-token', 'PostToolUseFailure', 'toolu_01']],
    ['the name of a password', ['a-passwd', 'Stop']],
    ['a token', ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'Stop']],
  ])('hashes all parts of what would be refused as a secret: %s', (_, parts) => {
    const id = stableId('cc', parts);

    expect(redactor.text(['cc', ...parts].join(':'))).toContain('[redacted]');
    expect(redactor.text(id)).toBe(id);
    expect(id).toBe(['cc', ...parts.map((part) => `~${shortHash(part)}`)].join(':'));
  });

  test('gives ids that fit, whatever the parts are, and other ones for other parts', () => {
    const parts = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[\w:~.-]{0,150}$/), NAMES), {
      minLength: 1,
      maxLength: 4,
    });

    fc.assert(
      fc.property(parts, parts, (some, others) => {
        const [id, other] = [stableId('cc', some), stableId('cc', others)];

        expect(id).toMatch(EVENT_ID);
        expect(redactor.text(id)).toBe(id);
        expect(stableId('cc', [...some])).toBe(id);
        expect(id === other).toBe(JSON.stringify(some) === JSON.stringify(others));
      }),
      { numRuns: 1_000 },
    );
  });
});
