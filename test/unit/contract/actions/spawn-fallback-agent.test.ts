import { expect, test } from 'vitest';
import { SpawnFallbackAgent } from '#contract/actions/spawn-fallback-agent/schema.js';

const type = 'spawn_fallback_agent';

test('the next action starts when the agent was launched, unless a rule says otherwise', () => {
  expect(SpawnFallbackAgent.parse({ type })).toMatchObject({ await: 'launched' });
});

test('a model that reads as an option is none', () => {
  const parsed = SpawnFallbackAgent.safeParse({ type, model: '--dangerously-skip-permissions' });

  expect(parsed.error?.issues).toMatchObject([
    { path: ['model'], message: 'is no name of a model: it begins with a dash' },
  ]);
});
