import { z } from 'zod';
import { type Facts, MAX_FACT_CHARS, MAX_TAIL_CHARS } from './facts.js';
import { flag, listOf, oneOf, strict, text, wholeNumber } from './text/schema-words.js';

export const OUTCOMES = ['success', 'failed', 'timeout', 'unknown'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const EVENT_NAME = /^[A-Za-z][\w.:-]{0,127}$/;
export const EVENT_ID = /^[\w.:@+=~-]{1,200}$/;
export const TENANT = /^[a-z0-9][a-z0-9-]{0,62}$/;

export const MAX_DEPTH = 100;

/**
 * Who caused what: the first event of a chain and the remediation that led to this one, as the reporter says, or the token that
 * proves it (`MESH_LINEAGE` of an agent that the mesh started).
 */
export const Lineage = strict({
  root: text().max(200, { error: 'at most 200 characters' }).optional(),
  parent: text().max(1000, { error: 'at most 1000 characters' }).optional(),
  token: text().max(4000, { error: 'at most 4000 characters' }).optional(),
}).refine(({ root, token }) => root !== undefined || token !== undefined, {
  error: 'names neither root nor token',
  // Another mistake in it is problem enough.
  when: ({ issues }) => issues.length === 0,
  params: { expected: 'the root event of the chain, or the token that an agent was given' },
});
export type Lineage = z.output<typeof Lineage>;

const Fact = text().max(MAX_FACT_CHARS, { error: `at most ${MAX_FACT_CHARS} characters` });

/** Read by the door, so a reporter gives none; it says them in the payload, in the spelling of its dialect. */
export const EventFacts = strict({
  tool: Fact.optional(),
  status: Fact.optional(),
  error: Fact.optional(),
  taskSubject: Fact.optional(),
  taskDescription: Fact.optional(),
  taskId: Fact.optional(),
  team: Fact.optional(),
  agentIds: listOf(Fact, 'a list of ids').max(10, { error: 'at most 10 ids' }).optional(),
  endsAgent: strict({
    outcome: oneOf(['success', 'failed', 'timeout']),
    outputTail: text()
      .max(MAX_TAIL_CHARS, { error: `at most ${MAX_TAIL_CHARS} characters` })
      .optional(),
    isSubagent: flag().optional(),
  }).optional(),
  volatile: listOf(Fact, 'a list of keys').max(50, { error: 'at most 50 keys' }).optional(),
}) satisfies z.ZodType<Facts>;

const Label = text().max(200, { error: 'at most 200 characters' });

/** What a runtime reports, whole: this is what travels, is judged and is handed to actions. */
export const MeshEvent = strict({
  id: z
    .string({ error: 'an event id' })
    .regex(EVENT_ID, { error: 'an event id: 1 to 200 letters, digits or . _ : @ + = ~ -' }),
  event: z
    .string({ error: 'an event name' })
    .regex(EVENT_NAME, { error: 'an event name: a letter, then up to 127 letters, digits or . _ : -' }),
  outcome: oneOf(OUTCOMES),
  tenant: z
    .string({ error: 'a tenant name' })
    .regex(TENANT, { error: 'a tenant name: 1 to 63 lower-case letters, digits or -' }),
  session: Label.optional(),
  agent: Label.optional(),
  depth: wholeNumber(0, MAX_DEPTH),
  source: Label.optional(),
  /** Epoch milliseconds. */
  occurredAt: wholeNumber(0, 8_640_000_000_000_000),
  lineage: Lineage.optional(),
  /** True when long texts of the payload were cut on the way in. */
  truncated: flag().optional(),
  /** The HTTP request that brought it, as in the gateway's access log. */
  requestId: Label.optional(),
  /** What the payload says, under the same names in every dialect. */
  facts: EventFacts.optional(),
  payload: z.record(z.string(), z.unknown(), { error: 'an object' }),
});
export type MeshEvent = z.output<typeof MeshEvent>;
