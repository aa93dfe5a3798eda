import { describe, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import { createSpawnBench } from '#test/support/spawn-activity.js';
import { tempFolder } from '#test/support/temp-folder.js';
import type { SlotQuestion } from '#contract/activities.js';

const command = (more: Record<string, unknown> = {}) => ({ command: ['true'], ...more });

function bench(agents: Record<string, unknown>) {
  return createSpawnBench({ agents, folder: tempFolder() });
}

const question = (more: Partial<SlotQuestion> = {}): SlotQuestion => ({ key: 'k', tried: [], ...more });

test('the slot is asked for in the name of the remediation, under the key of its action', async () => {
  const { ask, slots } = bench({ default: command({ maxConcurrent: 3, fallbacks: ['b'] }), b: command() });

  expect(await ask(question())).toEqual({
    launcher: 'default',
    isFallback: false,
    next: 'b',
    slots: 'slots/test/default',
    max: 3,
  });
  expect(slots).toEqual([
    { launcher: 'default', asked: { key: 'k', holder: 'the remediation', run: 'its run', max: 3 } },
  ]);
});

describe('the launcher is', () => {
  const agents = { default: command(), reviewer: command() };

  test.each([
    [undefined, 'default'],
    ['reviewer', 'reviewer'],
    ['Reviewer', 'default'],
    ['constructor', 'default'],
    ['__proto__', 'default'],
  ])('for the agent type %s: %s', async (agentType, launcher) => {
    expect(await bench(agents).ask(question(agentType === undefined ? {} : { agentType }))).toMatchObject({
      launcher,
      isFallback: false,
    });
  });

  test('the one that the workflow asks for', async () => {
    expect(await bench(agents).ask(question({ launcher: 'reviewer' }))).toMatchObject({
      launcher: 'reviewer',
      isFallback: true,
    });
  });

  test('the next of those that are left, where it was taken out of the configuration meanwhile', async () => {
    const chain = { default: command({ fallbacks: ['reviewer'] }), reviewer: command() };

    expect(await bench(chain).ask(question({ launcher: 'gone', tried: ['default'] }))).toMatchObject({
      launcher: 'reviewer',
    });
  });

  test.each<[string, Record<string, unknown>, Partial<SlotQuestion>, string]>([
    [
      'none where none is configured',
      { reviewer: command() },
      { agentType: 'other' },
      'No fallback agent launcher is registered in runtime context',
    ],
    [
      'none any more where it was taken out, and the others have been tried',
      agents,
      { launcher: 'gone', tried: ['default'] },
      'The launcher gone is no longer configured for this agent type',
    ],
  ])('%s', async (_what, configured, asked, message) => {
    const { ask, slots } = bench(configured);

    const error: unknown = await ask(question(asked)).catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(ApplicationFailure);
    expect(error).toMatchObject({ type: 'no-launcher', message, nonRetryable: true, details: [{ attempts: 1 }] });
    expect(slots).toEqual([]);
  });
});

describe('after a launcher comes', () => {
  const agents = {
    default: command({ fallbacks: ['b', 'c'] }),
    b: command({ fallbacks: ['d', 'c'] }),
    c: command(),
    d: command({ fallbacks: ['e'] }),
    e: command(),
    alone: command(),
  };

  test.each([
    [undefined, undefined, 'b'],
    [undefined, 'b', 'd'],
    [undefined, 'd', 'e'],
    [undefined, 'e', 'c'],
    [undefined, 'c', undefined],
    ['b', undefined, 'd'],
    ['b', 'c', undefined],
    ['alone', undefined, undefined],
    ['alone', 'c', undefined],
  ])('for the agent type %s after %s: %s', async (agentType, launcher, next) => {
    const asked = { ...(agentType !== undefined && { agentType }), ...(launcher !== undefined && { launcher }) };

    expect((await bench(agents).ask(question(asked))).next).toBe(next);
  });
});
