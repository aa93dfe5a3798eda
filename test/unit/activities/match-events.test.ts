import { expect, test } from 'vitest';
import { makeMatchEvents } from '#activities/match-events.js';
import { aLoadedRuleset, anEvent, aRule, aRuleset } from '../../support/builders.js';

function matcherOf(ids: string[]) {
  const loaded = aLoadedRuleset(aRuleset(ids.map((id) => aRule({ id }))));
  return makeMatchEvents({
    rulesets: { get: async () => ({ available: true, ...loaded }) },
    config: { get: async () => ({ available: false, problems: [] }) },
    redactKeys: [],
    lineageKey: 'k'.repeat(32),
  });
}

test('names all rules to a watch that does not know this version, also those that do not match', async () => {
  const request = { tenant: 'default', events: [anEvent({ event: 'Stop' })] };
  const match = matcherOf(['one', 'other']);

  expect(await match(request)).toMatchObject({ ruleset: { rules: [], ruleIds: ['one', 'other'] } });
  expect(await match({ ...request, knownHash: 'older' })).toMatchObject({ ruleset: { ruleIds: ['one', 'other'] } });
  expect(await match({ ...request, knownHash: 'abc' })).not.toHaveProperty('ruleset.ruleIds');
});

test('names none where there are too many to keep', async () => {
  const ids = Array.from({ length: 150 }, (_, n) => `${n}-${'x'.repeat(80)}`);

  const matched = await matcherOf(ids)({ tenant: 'default', events: [anEvent()] });

  expect(matched).not.toHaveProperty('ruleset.ruleIds');
});
