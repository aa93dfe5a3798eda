import { describe, expect, test } from 'vitest';
import { explainSkip, type Skipped } from '#client/cli/render/explain-skip.js';
import { SKIP_CODES, type SkipCode } from '#contract/verdict.js';
import { aSkip, aStatus, NOW } from './samples.js';

const skip = (...args: Parameters<typeof aSkip>) => aSkip(...args) as Skipped;

describe('explainSkip', () => {
  test.each(Object.keys(SKIP_CODES) as SkipCode[])('has a sentence for %s', (code) => {
    expect(explainSkip(skip(code, 'because'), aStatus(), NOW)).toMatch(/^[A-Z].{30,}/);
  });

  const guards = (untilAt: number, more = 0) => ({
    ...aStatus().guards,
    cooldowns: [{ rule: 'r', untilAt }],
    dedups: [{ rule: 'r', action: 'a', untilAt }],
    live: { cooldowns: 1 + more, dedups: 1 + more },
  });

  test.each([
    ['ends', 'cooldown', 55_825, NOW - 10_000, 'It ends in 45 s (03:12:54 UTC). To end it now: npx mesh rearm r'],
    ['has ended', 'cooldown', 55_825, NOW - 60_000, 'It ended 4 s ago (03:12:04 UTC).'],
    ['ends', 'dedup', 300_000, NOW, 'It ends in 5 min (03:17:09 UTC). To end it now:'],
    ['has just ended', 'dedup', 1_000, NOW - 1_000, 'It ended just now (03:12:09 UTC).'],
  ] as const)('says when a window %s (%s)', (_, code, lastsMs, at, said) => {
    const untilAt = at + lastsMs;
    const explained = explainSkip(
      skip(code, 'active', { at, rule: 'r', action: 'a', untilAt }),
      aStatus({ guards: guards(untilAt) }),
      NOW,
    );

    expect(explained).toContain(said);
  });

  test('says when a window was ended before its time, as far as that can be known', () => {
    const cooled = skip('cooldown', 'active', { at: NOW, rule: 'r', action: 'a', untilAt: NOW + 55_825 });

    expect(explainSkip(cooled, aStatus({ guards: guards(NOW + 1) }), NOW)).toMatch(
      /It was ended since, before its time\.$/,
    );
    expect(explainSkip(cooled, aStatus({ guards: guards(NOW + 1, 1) }), NOW)).toContain('It ends in 55 s');
  });

  test('says of an event whose lineage token was not believed only what is known, and what to look at', () => {
    const reached = 'max chain depth reached (2/2)';
    const doubted = explainSkip(
      skip('max-depth', `${reached}: its lineage token is forged`, { isDoubted: true }),
      aStatus(),
      NOW,
    );
    const believed = explainSkip(skip('max-depth', reached), aStatus(), NOW);

    expect(doubted).toMatch(/^Whether it comes from an agent .* is not known/);
    expect(doubted).toContain('MESH_LINEAGE');
    expect(believed).toMatch(/^It comes from an agent .*, or says itself that it is so deep\./);
    expect(believed).not.toContain('MESH_LINEAGE');
  });

  test('names the tenant in commands', () => {
    const status = aStatus({ tenant: 'x', guards: guards(NOW + 55_825) });
    const explained = explainSkip(
      skip('cooldown', 'active', { at: NOW, rule: 'r', action: 'a', untilAt: NOW + 55_825 }),
      status,
      NOW,
    );

    expect(explained).toMatch(/npx mesh rearm --tenant x r$/);
  });

  test('tells an error of the whole event from one of a rule', () => {
    expect(explainSkip(skip('error', 'x'), aStatus(), NOW)).toContain('with the same id');
    expect(explainSkip(skip('error', 'x', { rule: 'r', action: 'a' }), aStatus(), NOW)).toContain('under another id');
  });

  test('tells a disabled file from a disabled action', () => {
    expect(explainSkip(skip('disabled', 'ruleset disabled'), aStatus(), NOW)).toContain('whole rules file');
    expect(explainSkip(skip('disabled', 'action disabled', { rule: 'r', action: 'a' }), aStatus(), NOW)).toContain(
      'This action',
    );
  });
});
