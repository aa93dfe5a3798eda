import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parseRuleset } from '#rules/parse-ruleset.js';
import { firstSteps } from '#worker/banner.js';
import { aLoadedRuleset, aRule, aRuleset } from '../../support/builders.js';

const REACH = 'TEMPORAL_ADDRESS=elsewhere:7233 ';

function stepsFor(ruleset: ReturnType<typeof aRuleset>): string[] {
  return firstSteps({ available: true, ...aLoadedRuleset(ruleset) }, REACH, 1_000);
}

test('with the shipped rules, names an event that fires', async () => {
  const parsed = parseRuleset(await readFile('config/rules.yaml', 'utf8'), 'config/rules.yaml');
  if (!parsed.ok) throw new Error('the shipped rules are not valid');

  expect(stepsFor(parsed.ruleset)).toEqual([
    'Make a rule fire, from a second terminal in this folder:',
    `  ${REACH}npx mesh send --event PostToolUseFailure --outcome failed --payload '{"tool_name":"Bash","error":"timeout"}'`,
  ]);
});

test.each([
  ['wait for another event', aRule({ trigger: { event: 'Stop' } })],
  ['are on trial', aRule({ mode: 'shadow' })],
])('does not promise a firing of rules that %s, and says how to find out what fires', (_which, rule) => {
  expect(stepsFor(aRuleset([rule]))).toEqual([
    'See what the rules do with an event, from a second terminal in this folder:',
    '  npx mesh simulate --explain --rules rules.yaml --events <file>',
  ]);
});

test('leaves rules that cannot be read to those who mend them', () => {
  expect(firstSteps({ available: false, problems: ['p'] }, REACH, 1_000)).toEqual([]);
});
