import { describe, expect, test } from 'vitest';
import { eventually } from '../../../../support/eventually.js';
import { createSpawnBench } from '../../../../support/spawn-activity.js';
import { tempFolder } from '../../../../support/temp-folder.js';
import { ownSpawnRequest } from './own-spawn-request.js';

const saying = (text: string, more: Record<string, unknown> = {}) => ({ command: ['echo', text], ...more });

function bench(agents: Record<string, unknown>, tellWatch?: () => Promise<unknown>) {
  return createSpawnBench({ agents, folder: tempFolder(), ...(tellWatch && { tellWatch }) });
}

describe('the launcher is', () => {
  const agents = { default: saying('the default one'), reviewer: saying('the reviewer') };

  test.each([
    [undefined, 'the default one'],
    ['reviewer', 'the reviewer'],
    ['Reviewer', 'the default one'],
    ['constructor', 'the default one'],
    ['__proto__', 'the default one'],
  ])('for the agent type %s: %s', async (agentType, outputTail) => {
    const answer = await bench(agents).spawn(ownSpawnRequest({ plan: { agentType } })).answer;

    expect(answer).toMatchObject({ agent: { outputTail } });
  });

  test('the one that the workflow asks for', async () => {
    const request = ownSpawnRequest({ plan: { agentType: 'default' }, request: { launcher: 'reviewer' } });

    expect(await bench(agents).spawn(request).answer).toMatchObject({ agent: { outputTail: 'the reviewer' } });
  });

  test('none where none is configured', async () => {
    expect(await bench({ reviewer: saying('x') }).failure(ownSpawnRequest({ plan: { agentType: 'other' } }))).toEqual({
      type: 'no-launcher',
      message: 'No fallback agent launcher is registered in runtime context',
      isFinal: true,
      retryAfterMs: undefined,
      details: { attempts: 1 },
    });
  });

  test('none any more where it was taken out of the configuration', async () => {
    const request = ownSpawnRequest({ request: { launcher: 'gone' } });

    expect(await bench(agents).failure(request)).toMatchObject({
      type: 'no-launcher',
      message: 'The launcher gone is no longer configured',
      isFinal: true,
    });
  });
});

describe('after a launcher comes', () => {
  const agents = {
    default: saying('x', { fallbacks: ['b', 'c'] }),
    b: saying('x', { fallbacks: ['d', 'c'] }),
    c: saying('x'),
    d: saying('x', { fallbacks: ['e'] }),
    e: saying('x'),
    alone: saying('x'),
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
    const request = ownSpawnRequest({ plan: { agentType }, request: launcher === undefined ? {} : { launcher } });

    const answer = await bench(agents).spawn(request).answer;

    expect('next' in answer ? answer.next : undefined).toBe(next);
  });
});

test('each launcher runs so many agents at once; what is too many hears of it at once, and later finds a free slot', async () => {
  const agents = {
    default: { command: ['cat'], maxConcurrent: 2, fallbacks: ['other'] },
    other: { command: ['true'] },
  };
  let open: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const { spawn } = bench(agents, () => gate);
  const busy = { state: 'busy', launcher: 'default', slots: 2, next: 'other' };

  const running = [spawn(ownSpawnRequest()).answer, spawn(ownSpawnRequest()).answer];
  const third = await eventually('a refusal', async () => {
    const refused = spawn(ownSpawnRequest()).answer;
    return await Promise.race([refused, Promise.all(running).then(() => undefined)]);
  });
  const retried = await spawn(ownSpawnRequest(), { attempt: 3 }).answer;
  const elsewhere = spawn(ownSpawnRequest({ request: { launcher: 'other' } })).answer;
  open?.();

  expect(third).toEqual(busy);
  expect(retried).toEqual({ ...busy, attempts: 2 });
  expect(await elsewhere).toMatchObject({ state: 'finished' });
  for (const one of running) expect(await one).toMatchObject({ state: 'finished' });
  expect(await spawn(ownSpawnRequest()).answer).toMatchObject({ state: 'finished' });
});

test('an agent that fails gives its slot back', async () => {
  const { failure } = bench({ default: { command: ['false'], maxConcurrent: 1 } });

  await failure(ownSpawnRequest());

  expect(await failure(ownSpawnRequest())).toMatchObject({ message: 'Fallback agent ended with exit code 1' });
});

test('what nobody expected also says which launcher it was, and who is next', async () => {
  const { failure } = bench({ default: saying('x', { fallbacks: ['b'] }), b: saying('x') }, () =>
    Promise.reject(new Error('the watch is out of reach')),
  );

  expect(await failure(ownSpawnRequest())).toMatchObject({
    type: 'action-error',
    message: 'the watch is out of reach',
    isFinal: false,
    details: { attempts: 1, launcher: 'default', next: 'b' },
  });
});
