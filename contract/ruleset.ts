import { z } from 'zod';
import { MeshEvent, OUTCOMES } from './event.js';
import { flag, listOf, milliseconds, oneOf, strict, text, wholeNumber } from './text/schema-words.js';
import { segment } from './ids.js';
import { MAX_ACTIONS } from './limits.js';
import { Action } from './actions/index.js';
import { DAY_MS } from './actions/of-every-action.js';

export const DEFAULTS = { maxChainDepth: 2, maxDescendants: 20, cooldownMs: 30_000, dedupWindowMs: 30_000 } as const;
export const MODES = ['enforce', 'shadow', 'off'] as const;

/**
 * Of a rule id, and of that together with an action's: an effect key may become the id of a workflow, for which the server takes
 * 1,000 characters. Beside these two it names the tenant, the event, a launcher and a retry.
 */
export const MAX_ENCODED_ID_CHARS = 600;

const windowMs = () => milliseconds(0, DAY_MS);

const EVENT_FIELDS = Object.keys(MeshEvent.shape);

/** A dot path that starts at the event: `session`, `payload.tool_name`. */
const EventPath = text('a dot path into the event').refine((path) => EVENT_FIELDS.includes(path.split('.')[0] ?? ''), {
  error: 'does not start with a field of the event',
  params: { hint: `paths start at the event: payload.<field>, or one of ${EVENT_FIELDS.join(', ')}` },
});

export const Condition = strict({
  toolNames: listOf(text(), 'a list of tool names').optional(),
  taskStatuses: listOf(text(), 'a list of task statuses').optional(),
  errorIncludes: listOf(text(), 'a list of texts').optional(),
  eventFieldEquals: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()], { error: 'a text, a number, true or false' }), {
      error: 'an object of payload path to value',
    })
    .optional(),
});
export type Condition = z.output<typeof Condition>;

export const Trigger = strict({
  event: text('an event name'),
  outcome: oneOf(OUTCOMES).optional(),
  outcomes: listOf(oneOf(OUTCOMES), 'a list of outcomes').min(1, { error: 'at least one outcome' }).optional(),
});
export type Trigger = z.output<typeof Trigger>;

/** Part of workflow ids, where it stands encoded and there is room for a thousand characters in all. */
const RuleId = text().refine((id) => segment(id).length <= MAX_ENCODED_ID_CHARS, {
  error: `is too long: it is part of workflow ids, where at most ${MAX_ENCODED_ID_CHARS} encoded characters fit`,
});

export const Rule = strict({
  id: RuleId,
  enabled: flag().default(true),
  mode: oneOf(MODES).default('enforce'),
  trigger: Trigger,
  condition: Condition.optional(),
  cooldownMs: windowMs().optional(),
  cooldownBy: listOf(EventPath, 'a list of dot paths into the event').min(1, { error: 'at least one path' }).optional(),
  dedupWindowMs: windowMs().optional(),
  dedupBy: listOf(EventPath, 'a list of dot paths into the event').min(1, { error: 'at least one path' }).optional(),
  maxDepth: wholeNumber(0, 10).optional(),
  actions: listOf(Action, 'a list of actions')
    .min(1, { error: 'at least one action' })
    .refine((actions) => actions.length <= MAX_ACTIONS, {
      error: ({ input }) => `has ${(input as unknown[]).length} actions, the most is ${MAX_ACTIONS}`,
      params: {
        expected: `at most ${MAX_ACTIONS} actions`,
        hint: 'split the rule in two with the same trigger and condition',
      },
    }),
});
export type Rule = z.output<typeof Rule>;

/** Hook Chains' rule file, strict, with the additions of the mesh (`mode`, `cooldownBy`, `dedupBy`, `retry`, …). */
export const Ruleset = strict(
  {
    version: z.literal(1, { error: 'the number 1' }).default(1),
    enabled: flag().default(true),
    maxChainDepth: wholeNumber(1, 10).default(DEFAULTS.maxChainDepth),
    /** Agents that one first event may lead to, over the whole chain. */
    maxDescendants: wholeNumber(1, 1000).default(DEFAULTS.maxDescendants),
    defaultCooldownMs: windowMs().default(DEFAULTS.cooldownMs),
    defaultDedupWindowMs: windowMs().default(DEFAULTS.dedupWindowMs),
    maxEventAgeMs: milliseconds(1, 365 * DAY_MS).optional(),
    rules: listOf(Rule, 'a list of rules').default([]),
  },
  'an object with `rules`',
);
export type Ruleset = z.output<typeof Ruleset>;
