import type { z } from 'zod';
import { flag, milliseconds, oneOf, strict, text, wholeNumber } from '../text/schema-words.js';

export const DAY_MS = 86_400_000;

/** How the action before must have ended for one with `onlyIf` to run. */
export const ONLY_IF = ['failed', 'success'] as const;
export type OnlyIf = (typeof ONLY_IF)[number];

const Retry = strict({
  maxAttempts: wholeNumber(1, 1000).optional(),
  initialIntervalMs: milliseconds(1, DAY_MS).optional(),
  maxIntervalMs: milliseconds(1, DAY_MS).optional(),
});

/** What a rule can say of an action of any type. */
export const ofEveryAction = {
  id: text().optional(),
  enabled: flag().default(true),
  dedupWindowMs: milliseconds(0, DAY_MS).optional(),
  timeoutMs: milliseconds(1, DAY_MS).optional(),
  retry: Retry.optional(),
  onlyIf: oneOf(ONLY_IF).optional(),
};

export interface RetryPlan {
  /** None: as often as there is time for. */
  maxAttempts?: number | undefined;
  initialIntervalMs: number;
  maxIntervalMs: number;
}

/** How actions of a type are tried, unless their rule says otherwise. */
export interface ActionDefaults {
  timeoutMs: number;
  retry: RetryPlan;
}

/** What a rule asks of one action, once it is known which remediation it belongs to. */
export type PlanOf<Schema extends z.ZodType> = Omit<z.output<Schema>, keyof Judged> & {
  name: string;
  /** With `onlyIf`: the enabled action right before it in the rule, whether that one fires as well or not. */
  after?: string;
  /** Why the rule fired without it: the limits of its chain allow no more agents. It is not run, and told of with the others. */
  refused?: string;
  effectKey: string;
  timeoutMs: number;
  retry: RetryPlan;
};

/** Used up by judging and planning. */
type Judged = Record<'id' | 'enabled' | 'dedupWindowMs' | 'timeoutMs' | 'retry', unknown>;
