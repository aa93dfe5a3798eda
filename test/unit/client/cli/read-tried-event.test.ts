import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readTriedEvent } from '#client/cli/try.js';
import { tempFolder } from '#test/support/temp-folder.js';

const EVENT = { event: 'TaskCompleted', outcome: 'failed', payload: { error: 'timeout' } };
const HOOK = { hook_event_name: 'PostToolUseFailure', session_id: 's-1', tool_use_id: 't-1', tool_name: 'Bash' };

interface Given {
  from?: string;
  tenant?: string;
  env?: Record<string, string>;
  keys?: string[];
}

function read(content: unknown, { env = {}, keys = [], ...options }: Given = {}) {
  const file = join(tempFolder(), 'event.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return readTriedEvent({ event: file, ...options }, env, { keys });
}

describe('readTriedEvent', () => {
  test('fills in what is absent, and marks it as a try', async () => {
    expect(await read({ ...EVENT, source: 'somebody' })).toMatchObject({
      id: expect.stringMatching(/^try-[\da-f-]{36}$/),
      event: 'TaskCompleted',
      tenant: 'default',
      depth: 0,
      source: 'mesh-try',
    });
  });

  test('gives an event, and a hook, an id of its own', async () => {
    const [event, hook] = await Promise.all([read({ ...EVENT, id: 'e-1' }), read(HOOK, { from: 'claude-code' })]);

    expect(event.id).toMatch(/^try-/);
    expect((await read({ ...EVENT, id: 'e-1' })).id).not.toBe(event.id);
    expect(hook).toMatchObject({ event: 'PostToolUseFailure', outcome: 'failed', session: 's-1', payload: HOOK });
    expect(hook.id).toMatch(/^try-/);
  });

  test.each<[string, Given, string | undefined, string]>([
    ['of the event', {}, 'of-event', 'of-event'],
    ['that is asked for', { tenant: 'asked' }, 'of-event', 'asked'],
    ['of the environment', { env: { MESH_TENANT: 'of-env' } }, undefined, 'of-env'],
  ])('takes the tenant %s', async (_, given, tenant, expected) => {
    expect((await read({ ...EVENT, tenant }, given)).tenant).toBe(expected);
  });

  test('keeps the place in a chain, and no proof of it', async () => {
    const env = { MESH_DEPTH: '1', MESH_ROOT_EVENT: 'root', MESH_LINEAGE: 'a-token' };

    expect(await read(EVENT, { env })).toMatchObject({ depth: 1, lineage: { root: 'root' } });
    expect((await read(EVENT, { env })).lineage).not.toHaveProperty('token');
    expect(await read(EVENT, { env: { MESH_LINEAGE: 'a-token' } })).not.toHaveProperty('lineage');
  });

  test('takes out what is secret', async () => {
    const event = await read({ ...EVENT, payload: { customer: 'c-1', error: 'e' } }, { keys: ['customer'] });

    expect(event.payload).toEqual({ customer: '[redacted]', error: 'e' });
  });

  test.each<[string, unknown, Given, RegExp]>([
    ['nothing', '', {}, /event\.json: expected one event, found none$/],
    ['several events', [EVENT, EVENT], {}, /event\.json: expected one event, found 2$/],
    ['no event', { outcome: 'failed' }, {}, /event\.json:1: event: is missing: expected an event name$/],
    ['no hook', EVENT, { from: 'claude-code' }, /event\.json:1: hook_event_name: is missing/],
    ['a tenant that cannot be one', EVENT, { tenant: 'Team A' }, /^--tenant: expected a tenant name/],
  ])('refuses %s', async (_, content, given, message) => {
    await expect(read(content, given)).rejects.toThrow(message);
  });
});
