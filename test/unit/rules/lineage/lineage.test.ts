import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Lineage } from '#contract/event.js';
import { claimsFor, LINEAGE_LIFE_MS, type LineageClaims } from '#rules/lineage/claims.js';
import { signLineage } from '#rules/lineage/sign.js';
import { MAX_TOKEN_CHARS } from '#rules/lineage/token.js';
import { verifyLineage } from '#rules/lineage/verify.js';
import { anEvent } from '../../../support/builders.js';

const KEY = 'k'.repeat(64);
const NOW = 1_800_000_000_000;
const CLAIMS: LineageClaims = {
  root: 'evt-1',
  depth: 2,
  path: ['first', 'second'],
  tenant: 'default',
  parent: 'remediation/default/second/evt-2',
  expiresAt: NOW + 1_000,
};
const check = { key: KEY, tenant: 'default', now: NOW };

/** Signed with a key, but not made by `signLineage`. */
function signed(body: string, key = KEY): string {
  const encoded = Buffer.from(body).toString('base64url');
  return `mesh1.${encoded}.${createHmac('sha256', key).update(`mesh1.${encoded}`).digest('base64url')}`;
}

test('a token brings back what was signed', () => {
  const token = signLineage(CLAIMS, KEY);

  expect(token).toMatch(/^mesh1\.[\w-]+\.[\w-]+$/);
  expect(verifyLineage(token, check)).toEqual({
    root: 'evt-1',
    depth: 2,
    path: ['first', 'second'],
    parent: 'remediation/default/second/evt-2',
  });
});

test('a token is as long as the field of an event that it comes back in', () => {
  const fits = (chars: number) => Lineage.safeParse({ token: 'x'.repeat(chars) }).success;

  expect([fits(MAX_TOKEN_CHARS), fits(MAX_TOKEN_CHARS + 1)]).toEqual([true, false]);
});

test('what a remediation signs for its agents', () => {
  const event = anEvent({ id: 'evt-2', depth: 1, lineage: { root: 'evt-1' } });
  const plan = { id: 'remediation/default/second/evt-2', rule: 'second', event, path: ['first'] };

  expect(claimsFor({ ...plan, rulesetHash: '', firedAt: 0, actions: [] }, NOW)).toEqual({
    ...CLAIMS,
    expiresAt: NOW + LINEAGE_LIFE_MS,
  });
});

test('the first event of a chain is its own root', () => {
  const event = anEvent({ id: 'evt-1', depth: 0 });

  expect(claimsFor({ id: 'r', rule: 'first', event, rulesetHash: '', firedAt: 0, actions: [] }, NOW)).toMatchObject({
    root: 'evt-1',
    depth: 1,
    path: ['first'],
  });
});

describe('is not believed:', () => {
  const [form = '', body = '', signature = ''] = signLineage(CLAIMS, KEY).split('.');
  const other = Buffer.from(JSON.stringify(['evt-1', 0, [], 'default', '', NOW + 1_000])).toString('base64url');

  test.each([
    ['a token signed with another key', signLineage(CLAIMS, 'x'.repeat(64)), 'forged'],
    ['a token with other claims under a right signature', `${form}.${other}.${signature}`, 'forged'],
    ['a token without a signature', `${form}.${body}.`, 'forged'],
    ['a token of two parts', `${form}.${body}`, 'forged'],
    ['a token of four parts', `${form}.${body}.${signature}.x`, 'forged'],
    ['a token of another form', `mesh2.${body}.${signature}`, 'forged'],
    ['an empty text', '', 'forged'],
    ['a signature that decodes to the same bytes', `${form}.${body}.${signature}=`, 'forged'],
    ['a signed text that is no JSON', signed('{'), 'forged'],
    ['a signed object', signed('{}'), 'forged'],
    ['a signed depth below zero', signed(JSON.stringify(['r', -1, [], 'default', 'p', NOW + 1])), 'forged'],
    ['a signed path of numbers', signed(JSON.stringify(['r', 1, [7], 'default', 'p', NOW + 1])), 'forged'],
    ['a token of another tenant', signLineage({ ...CLAIMS, tenant: 'acme' }, KEY), 'of another tenant'],
    ['a token at the instant it expires', signLineage({ ...CLAIMS, expiresAt: NOW }, KEY), 'expired'],
    ['a token that is too long', `${form}.${body}${'A'.repeat(MAX_TOKEN_CHARS)}.${signature}`, 'too long'],
  ])('%s', (_what, token, why) => {
    expect(verifyLineage(token, check)).toEqual({ refused: expect.stringContaining(why) });
  });

  test('any text that was not signed', () => {
    const token = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.tuple(fc.string(), fc.string()).map(([a, b]) => `mesh1.${a}.${b}`),
      fc.json().map((json) => `mesh1.${Buffer.from(json).toString('base64url')}.${signature}`),
      // One character of a good token is another one.
      fc
        .tuple(fc.nat(`${form}.${body}.${signature}`.length - 1), fc.string({ minLength: 1, maxLength: 1 }))
        .map(
          ([at, char]) =>
            `${form}.${body}.${signature}`.slice(0, at) + char + `${form}.${body}.${signature}`.slice(at + 1),
        )
        .filter((changed) => changed !== `${form}.${body}.${signature}`),
    );
    fc.assert(fc.property(token, (text) => 'refused' in verifyLineage(text, check)));
  });
});

test('any claims come back, in a token that fits its field; a path that is too long loses its first rules', () => {
  const claims = fc.record({
    root: fc.string({ unit: 'binary', maxLength: 200 }),
    depth: fc.nat(100),
    path: fc.array(fc.string({ maxLength: 600 }), { maxLength: 30, size: 'max' }),
    tenant: fc.constant('default'),
    parent: fc.string({ maxLength: 1_000, size: 'max' }),
    expiresAt: fc.maxSafeNat().map((at) => Math.max(at, NOW + 1)),
  });
  fc.assert(
    fc.property(claims, (made) => {
      const token = signLineage(made, KEY);
      const found = verifyLineage(token, check);
      if ('refused' in found) throw new Error(found.refused);
      expect(token.length).toBeLessThanOrEqual(MAX_TOKEN_CHARS);
      expect(found).toMatchObject({ root: made.root, depth: made.depth, parent: made.parent });
      expect(found.path.length).toBeLessThanOrEqual(20);
      expect(found.path).toEqual(made.path.slice(made.path.length - found.path.length));
    }),
  );
});
