import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentSession } from '#activities/actions/spawn-fallback-agent/prepare-launch.js';

test('a session id looks like a random UUID, and is the same for the same key only', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      expect(agentSession(one)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(agentSession(one) === agentSession(other)).toBe(one === other);
    }),
  );
});
