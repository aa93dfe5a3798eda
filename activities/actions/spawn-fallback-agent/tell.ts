import type { SpawnPlan } from '#contract/actions/spawn-fallback-agent/schema.js';
import { joinLines } from '#contract/text/plain-text.js';
import type { Teller } from '../tell.js';

/** An agent can mend what broke. */
export const tellSpawnFallbackAgent: Teller<SpawnPlan> = {
  part: 'mends',
  tellDone({ action, agent }) {
    const who = joinLines(agent?.launcher ?? action);
    return agent?.outcome === 'success' ? `${who} ended well` : `${who} was started and nobody waits for its end`;
  },
};
