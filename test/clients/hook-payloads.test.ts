import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { claudeCodeEvent } from '#rules/dialects/claude-code/event.js';
import { installClaudeCode } from '../support/claude-code.js';
import { hookFixture } from '../support/hook-fixtures.js';
import { type Hook, recordHooks, RECORDED } from './record-hooks.js';

// What the unit tests take for granted: that the client gives its hooks what the fixtures hold.

let hooks: Record<string, Hook>;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mesh-hooks-'));
  hooks = await recordHooks(await installClaudeCode(), folder);
  await rm(folder, { recursive: true, force: true });
});

describe.each(RECORDED)('%s', (name) => {
  test('has the fields of its fixture, of the same kinds, and maybe new ones', () => {
    expect(kindsOf(hooks[name])).toMatchObject(kindsOf(hookFixture(name)));
  });

  test('is read as its fixture is', () => {
    expect(reading(hooks[name])).toEqual(reading(hookFixture(name)));
  });
});

function kindsOf(hook: object = {}): object {
  return Object.fromEntries(Object.entries(hook).map(([key, value]) => [key, kindOf(value)]));
}

function kindOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(kindOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return kindsOf(value);
}

/** Ids are of one run; that there is one at all, or an agent, is not. */
function reading(raw: unknown): unknown {
  const mapped = claudeCodeEvent(raw);
  if (!mapped.ok) return mapped.problems;
  const { event, outcome, source, id, session, agent } = mapped.event;
  return {
    event,
    outcome,
    source,
    has: { id: id !== undefined, session: session !== undefined, agent: agent !== undefined },
  };
}
