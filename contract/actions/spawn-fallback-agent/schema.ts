import { z } from 'zod';
import { oneOf, strict, text } from '../../text/schema-words.js';
import { Template } from '../../text/template-text.js';
import { type ActionDefaults, ofEveryAction, type PlanOf } from '../of-every-action.js';

export const AWAITED = ['launched', 'finished'] as const;

export const SpawnFallbackAgent = strict({
  type: z.literal('spawn_fallback_agent'),
  ...ofEveryAction,
  description: Template.optional(),
  promptTemplate: Template.optional(),
  agentType: text().optional(),
  /** Becomes an argument of the agent's program, so it must not read as an option of it. */
  model: text()
    .refine((model) => !model.startsWith('-'), { error: 'is no name of a model: it begins with a dash' })
    .optional(),
  /** When the action after this one may start: as soon as the agent was started, or when it has ended. */
  await: oneOf(AWAITED).default('launched'),
});
export type SpawnPlan = PlanOf<typeof SpawnFallbackAgent>;

/** An agent that failed is expensive to run again, so few attempts, well apart. */
export const spawnDefaults: ActionDefaults = {
  timeoutMs: 600_000,
  retry: { maxAttempts: 3, initialIntervalMs: 5_000, maxIntervalMs: 60_000 },
};
