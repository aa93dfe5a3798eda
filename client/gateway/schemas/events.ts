import { z } from 'zod';
import { EVENT_ID, MeshEvent } from '#contract/event.js';
import { DIALECT_NAMES } from '#rules/dialects/index.js';
import { wholeNumber } from '#contract/text/schema-words.js';
import { Judgement } from '#contract/views/verdicts.js';

/** What the page at /docs sends when somebody tries it out: it fires a rule that is shipped. */
const EXAMPLE = {
  event: 'PostToolUseFailure',
  outcome: 'failed',
  session: 's-1',
  payload: { tool_name: 'Bash', error: 'timeout' },
};

export const EventInput = MeshEvent.omit({ facts: true })
  .partial()
  .required({ event: true })
  .extend({
    dialect: z
      .enum(DIALECT_NAMES)
      .describe('Whose names the payload has for things. Default: those of the mesh.')
      .optional(),
    occurredAt: z
      .union([wholeNumber(0, 8_640_000_000_000_000), z.string()])
      .describe('Epoch milliseconds, or an ISO 8601 text. Default: now.')
      .optional(),
  })
  .meta({
    description:
      'An event. Only `event` is required. Give a stable `id`, and a second report of the same thing is recognised.',
    examples: [EXAMPLE],
  });

export const EventOrEvents = z
  .union([EventInput, z.array(EventInput).min(1).max(1_000)])
  .meta({ examples: [EXAMPLE, [EXAMPLE, { event: 'TaskCompleted', outcome: 'success' }]] });

export const CloudEvent = z
  .looseObject({
    specversion: z.literal('1.0'),
    id: z.string().min(1),
    source: z.string().min(1).describe('With `id` it names the event: both make its id in the mesh.'),
    type: z.string().describe('The event name.'),
    time: z.iso.datetime({ offset: true }).nullish(),
    outcome: MeshEvent.shape.outcome
      .nullish()
      .describe('Extension attribute, as are session, agent, depth and tenant.'),
    session: z.string().nullish(),
    agent: z.string().nullish(),
    depth: z.union([wholeNumber(0, 100), z.string()]).nullish(),
    tenant: z.string().nullish(),
    lineage: z.string().describe('`MESH_LINEAGE` of the agent that reports.').nullish(),
    data: z.unknown().describe('The payload. What is no object becomes `{data: …}`.').optional(),
  })
  .meta({
    description: 'CloudEvents 1.0 in its JSON form. Other attributes go into the payload, under `cloudevent`.',
    examples: [
      {
        specversion: '1.0',
        id: '42',
        source: '/agents/builder',
        type: EXAMPLE.event,
        outcome: EXAMPLE.outcome,
        data: EXAMPLE.payload,
      },
    ],
  });

export const CloudEvents = z.array(CloudEvent).min(1).max(1_000);

export const Accepted = z.strictObject({
  events: z.array(z.strictObject({ id: z.string().regex(EVENT_ID) })).describe('One per event, in order.'),
  watch: z.string().describe('Workflow id of the watch that has them.'),
  warnings: z
    .array(z.string())
    .describe('What is most likely a slip, such as a name that no runtime sends.')
    .optional(),
});

export const EventAnswer = z.strictObject({
  id: z.string(),
  state: Judgement.shape.state
    .exclude(['unknown'])
    .describe('`waiting`: it has arrived and is not judged yet. `forgotten`: its verdicts are no longer kept.'),
  verdicts: Judgement.shape.verdicts,
  remediations: z.array(z.strictObject({ id: z.string(), rule: z.string() })),
});
