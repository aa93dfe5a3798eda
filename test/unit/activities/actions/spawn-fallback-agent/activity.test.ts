import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { SpawnRequest } from '#contract/activities.js';
import { createSpawnBench } from '#test/support/spawn-activity.js';
import { tempFolder } from '#test/support/temp-folder.js';
import { OWN_REMEDIATION, ownSpawnRequest } from './own-spawn-request.js';

const saying = (text: string, more: Record<string, unknown> = {}) => ({ command: ['echo', text], ...more });

function bench(agents: Record<string, unknown>, tellWatch?: () => Promise<unknown>) {
  return createSpawnBench({ agents, folder: tempFolder(), ...(tellWatch && { tellWatch }) });
}

test('the agent is started through the launcher of which the remediation has a slot', async () => {
  const agents = { default: saying('the default one'), reviewer: saying('the reviewer') };
  const request = ownSpawnRequest({ plan: { agentType: 'default' }, request: { launcher: 'reviewer' } });

  expect(await bench(agents).spawn(request).answer).toMatchObject({ agent: { outputTail: 'the reviewer' } });
});

describe('the configuration has changed since a slot was asked for:', () => {
  const agent = { launcher: 'default', session: 's-1', outcome: 'running' } as const;
  const known = { state: 'asked', by: 'http', agent } as const;

  test('the launcher is gone', async () => {
    const { failure } = bench({ default: saying('x') });

    expect(await failure(ownSpawnRequest({ request: { launcher: 'gone' } }))).toEqual({
      type: 'no-launcher',
      message: 'The launcher gone is no longer configured for this agent type',
      isFinal: true,
      retryAfterMs: undefined,
      details: { attempts: 1, known: { state: 'unasked' } },
    });
  });

  test('it is gone, and what it has asked for may be at work', async () => {
    const request = ownSpawnRequest({ request: { launcher: 'gone', earlier: known } });

    expect(await bench({}).failure(request)).toMatchObject({ type: 'no-launcher', details: { known } });
  });

  test('it is of another kind, and what it has asked for may be at work', async () => {
    expect(
      await bench({ default: saying('x') }).failure(ownSpawnRequest({ request: { earlier: known } })),
    ).toMatchObject({
      type: 'no-launcher',
      message: 'The launcher default is of another kind now',
      isFinal: true,
      details: { known },
    });
  });
});

/** Of a remediation of its own. */
const another = (request: Partial<SpawnRequest> = {}) => {
  const id = `${OWN_REMEDIATION}-${randomUUID()}`;
  return ownSpawnRequest({ remediation: { id }, plan: { effectKey: `${id}/agent` }, request });
};

test('one that was aborted while no worker was there is not started, and what an attempt before has left is told', async () => {
  const agents = { default: { http: { url: 'http://127.0.0.1:1' } } };
  const mesh = createSpawnBench({ agents, folder: tempFolder(), isCancelRequested: async () => true });
  const agent = { launcher: 'default', session: 's-1', outcome: 'running' } as const;
  const earlier = { attempts: 1, known: { state: 'asked', by: 'http', agent } } as const;

  expect(await mesh.spawn(another(), { attempt: 2, earlier }).answer).toMatchObject({
    state: 'delayed',
    reason: 'it was aborted while no worker was there',
    attempts: 1,
    known: { state: 'asked', agent: { launcher: 'default', outcome: 'running' } },
  });
  expect(mesh.asked).toEqual([]);
});

test('a configuration that cannot be read costs no attempt, and nothing that was known before', async () => {
  const agent = { launcher: 'default', session: 's-1', outcome: 'running' } as const;
  const known = { state: 'asked', by: 'http', agent } as const;
  const { spawn } = createSpawnBench({
    agents: {},
    folder: tempFolder(),
    config: { get: () => Promise.resolve({ available: false, problems: [{ path: 'agents', message: 'is broken' }] }) },
  });

  expect(await spawn(another()).answer).toEqual({
    state: 'delayed',
    reason: expect.stringMatching(/^the configuration cannot be read: .*is broken/) as string,
    attempts: 0,
    known: { state: 'unasked' },
  });
  expect(await spawn(another(), { attempt: 3, earlier: { attempts: 2, known } }).answer).toMatchObject({
    state: 'delayed',
    attempts: 2,
    known,
  });
});

test('what nobody expected says what is known of the agent', async () => {
  const { failure } = bench({ default: saying('x') }, () => Promise.reject(new Error('the watch is out of reach')));

  expect(await failure(ownSpawnRequest())).toMatchObject({
    type: 'action-error',
    message: 'the watch is out of reach',
    isFinal: false,
    details: { attempts: 1, known: { state: 'unasked' } },
  });
});
