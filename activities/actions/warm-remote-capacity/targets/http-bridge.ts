import { z } from 'zod';
import type { Lease } from '#contract/lease.js';
import { type CapacityTarget, type Environment, TargetFailure } from '../target.js';
import { type Answered, ask, type Call, type Line, send } from './send.js';
import { visible } from '#contract/text/plain-text.js';
import { shortened } from '#contract/text/shorten.js';

const BRIDGE = 'the bridge';

/** A bridge that is there answers this at once. */
const STATUS_TIMEOUT_MS = 5_000;

/** A bridge as config/examples/capacity-bridge.openapi.yaml describes it. */
export function makeHttpBridge(line: Line): CapacityTarget {
  return {
    async status(signal) {
      const call = { method: 'GET', path: '/v1/status', answer: StatusAnswer, timeoutMs: STATUS_TIMEOUT_MS } as const;
      const { active, policy, preconditions } = await ask(BRIDGE, line, call, signal);
      return { isActive: active, allowsRemoteSessions: policy.allowRemoteSessions, preconditions };
    },
    async list(signal) {
      const call = { method: 'GET', path: '/v1/environments', answer: EnvironmentsAnswer } as const;
      return (await ask(BRIDGE, line, call, signal)).environments.map(toEnvironment);
    },
    async createDefault(effectKey, signal) {
      const call = { path: '/v1/environments', body: { default: true }, answer: EnvironmentAnswer };
      return toEnvironment(granted(await post(line, call, `${effectKey}/environment`, signal)));
    },
    async ensure(request, signal) {
      const untilAt = await request.keepLease();
      return take(line, { ...request, untilAt }, request.effectKey, signal);
    },
    verify: (environment, signal) => verify(line, environment, signal),
    release: (lease, signal) => release(line, lease, signal),
    async reacquire(lease, signal) {
      // The bridge knows the request under the first key, and knows that it is over.
      await take(line, lease, keyOfLease('again', lease), signal);
      return undefined;
    },
  };
}

function toEnvironment({ id, ready, ...said }: z.output<typeof EnvironmentAnswer>): Environment {
  return { id, ready, isDefault: said.default, isEligible: said.eligible };
}

async function take(
  line: Line,
  { environment, ensure, untilAt }: Pick<Lease, 'environment' | 'ensure' | 'untilAt'>,
  key: string,
  signal: AbortSignal,
): Promise<{ environment: string }> {
  const call = { path: '/v1/capacity', body: { environment, ensure, until: iso(untilAt) }, answer: CapacityAnswer };
  return granted(await post(line, call, key, signal));
}

async function verify(line: Line, environment: string, signal: AbortSignal): Promise<Environment> {
  const call = {
    method: 'GET',
    path: `/v1/environments/${encodeURIComponent(environment)}`,
    answer: EnvironmentAnswer,
  } as const;
  const found = toEnvironment(await ask(BRIDGE, line, call, signal));
  if (found.id === environment) return found;
  throw answeredForAnother(found.id, environment);
}

function answeredForAnother(answered: string, asked: string): TargetFailure {
  const message = `the bridge answered for environment ${answered}, not for ${asked}`;
  return new TargetFailure(message, { isFinal: true });
}

/** Names the end of the lease, so that the bridge keeps what another remediation has asked for until later. */
async function release(line: Line, lease: Lease, signal: AbortSignal) {
  const { environment, untilAt } = lease;
  const until = iso(untilAt);
  const call = { path: '/v1/release', body: { environment, until }, answer: ReleaseAnswer };
  const answered = await post(line, call, keyOfLease('release', lease), signal);
  if (!answered.ok && answered.status === 404)
    return { isLeftAlone: true, detail: `Environment ${environment} is gone` };
  const released = granted(answered).environment ?? environment;
  if (released !== environment) throw answeredForAnother(released, environment);
  return { isLeftAlone: false, detail: `Remote capacity of environment ${environment} was given back` };
}

/** One request may have leases on several environments: when the default one has moved between two of its attempts. */
function keyOfLease(what: 'again' | 'release', { effectKey, environment, untilAt }: Lease): string {
  return `${effectKey}/${what}/${encodeURIComponent(environment)}/${untilAt}`;
}

/** A request that changes something. The same key again is the same request, so it can be sent until it is answered. */
function post<Answer>(
  line: Line,
  call: Pick<Call<Answer>, 'path' | 'body' | 'answer'>,
  key: string,
  signal: AbortSignal,
): Promise<Answered<Answer>> {
  return send(
    BRIDGE,
    line,
    { ...call, method: 'POST', headers: { 'idempotency-key': key }, alsoLater: STILL_WORKED_ON },
    signal,
  );
}

/** An earlier attempt did not wait for the end of the same request. */
const STILL_WORKED_ON = [409];

function granted<Answer>(answered: Answered<Answer>): Answer {
  if (answered.ok) return answered.answer;
  throw answered.failure;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

// What the mesh reads of a bridge's answers, as config/examples/capacity-bridge.openapi.yaml describes them. A bridge may say
// more; what it says becomes part of ids, addresses and messages, so it is held to a narrow form.

const ID = 'an id of letters, digits and . _ : -, 200 characters at most';
const Id = z.string({ error: ID }).regex(/^[A-Za-z\d][\w.:-]{0,199}$/, { error: ID });
const Flag = z.boolean({ error: 'true or false' });
const Count = z.int({ error: 'a whole number' }).min(0, { error: 'a whole number' });

const MAX_SHOWN_CHARS = 200;

const OneLine = z.string({ error: 'a text' }).transform((said) => {
  return shortened(visible(said.trim().replace(/\s+/g, ' ')), MAX_SHOWN_CHARS);
});

const Precondition = z.object({ name: OneLine, ok: Flag, reason: OneLine.optional() }, { error: 'a precondition' });

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
