import { z } from 'zod';
import { visible } from '#contract/text/plain-text.js';
import { shortened } from '#contract/text/shorten.js';

// What the mesh reads of a bridge's answers, as config/examples/capacity-bridge.openapi.yaml describes them. A bridge may say
// more; what it says becomes part of ids, addresses and messages, so it is held to a narrow form.

const ID = 'an id of letters, digits and . _ : -, 200 characters at most';
const Id = z.string({ error: ID }).regex(/^[A-Za-z\d][\w.:-]{0,199}$/, { error: ID });
const Flag = z.boolean({ error: 'true or false' });
const Count = z.int({ error: 'a whole number' }).min(0, { error: 'a whole number' });

const MAX_SHOWN_CHARS = 200;

const Line = z.string({ error: 'a text' }).transform((said) => {
  return shortened(visible(said.trim().replace(/\s+/g, ' ')), MAX_SHOWN_CHARS);
});

const Precondition = z.object({ name: Line, ok: Flag, reason: Line.optional() }, { error: 'a precondition' });

export const StatusAnswer = z.object(
  {
    active: Flag,
    policy: z.object({ allowRemoteSessions: Flag.default(true) }, { error: 'an object' }).prefault({}),
    preconditions: z.array(Precondition, { error: 'a list of preconditions' }).default([]),
  },
  { error: 'an object' },
);

export const EnvironmentAnswer = z.object(
  { id: Id, ready: Count, default: Flag.default(false), eligible: Flag.default(true) },
  { error: 'an environment' },
);

export const EnvironmentsAnswer = z.object(
  { environments: z.array(EnvironmentAnswer, { error: 'a list of environments' }) },
  { error: 'an object' },
);

export const CapacityAnswer = z.object({ environment: Id }, { error: 'an object' });

export const ReleaseAnswer = z.object({ environment: Id.optional(), released: Count }, { error: 'an object' });
