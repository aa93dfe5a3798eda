import { Context } from '@temporalio/activity';
import type { HttpAgent } from '#config/sections/agents.js';
import { resolveSecret } from '#config/secret.js';
import { messageOf } from '#contract/text/words.js';
import { judgeStatus, type OutboundAnswer } from '#adapters/http/create-outbound.js';
import { oneLine } from '#contract/text/plain-text.js';
import type { Redactor } from '#contract/text/redact/redact.js';
import { failure } from '../../../fail.js';
import { endpointRequest } from '../agent-request.js';
import type { Attempt } from '../attempt.js';
import { agentOf, answer, type Launch, type Launcher, leftMs } from '../launch.js';
import { tellWatch } from '../announce.js';

/** Asks a runtime elsewhere for an agent. The runtime honours the effect key, so that asking twice starts one agent. */
export const launchHttp: Launcher<HttpAgent> = async (launch, { http }, attempt, world) => {
  const secret = (written: string) => resolveSecret(written, launch.config.folder, world.env);
  const request = await endpointRequest(launch, http, secret).catch((error: unknown) => {
    throw failed({ reason: messageOf(error), isFinal: false, cause: error });
  });
  const isAwaited = launch.request.plan.await === 'finished';
  await tellWatch(launch, world, { isAwaited });

  const signal = Context.current().cancellationSignal;
  const timeoutMs = Math.min(http.timeoutMs, Math.max(1, leftMs(launch)));
  attempt.asks();
  const sent = await world.outbound.send({ ...request, timeoutMs, signal }, launch.config.outbound);
  // Once the runtime may have the request, nobody here knows what it makes of it.
  if (!mayHaveStarted(sent)) attempt.startedNone();
  if (sent.kind === 'cancelled') return Context.current().cancelled;
  if (sent.kind === 'failed') throw failed(sent);

  const reply = readReply(sent.text, launch.redactor);
  requireLaunched(launch, attempt, sent, reply);
  const { agentId } = reply;
  if (agentId !== undefined) await tellWatch(launch, world, { agentId, isAwaited });
  const agent = agentOf(launch, 'running', agentId === undefined ? {} : { id: agentId });
  attempt.startedElsewhere(agent);
  const detail = agentId === undefined ? 'Fallback agent launched' : `Fallback agent launched: ${agentId}`;
  return { ...answer('launched', agent, detail), timeoutMs: launch.timeoutMs };
};

/**
 * False only where the runtime itself says that it did not start an agent for this request: with what it answers, or with an
 * error of its own. Of other errors of a server nobody knows: a proxy may have lost touch with a runtime that has started one.
 */
function mayHaveStarted(sent: OutboundAnswer): boolean {
  if (sent.kind !== 'answered') return sent.mayHaveArrived === true;
  const { status } = sent;
  return status < 300 || status === 409 || (status >= 500 && !NOT_STARTED.has(status));
}

const NOT_STARTED = new Set([
  500 /* Internal Server Error */, 501 /* Not Implemented */, 503 /* Service Unavailable */,
]);

function requireLaunched(
  launch: Launch,
  attempt: Attempt,
  sent: Extract<OutboundAnswer, { kind: 'answered' }>,
  { launched, reason }: LaunchReply,
): void {
  // Somebody has used this effect key before, and that can only be this very action.
  if (sent.status === 409) return;
  const verdict = judgeStatus(sent, Date.now());
  if (!verdict.ok) throw failed({ ...verdict, reason: `the runtime ${launch.redactor.text(verdict.reason)}` });
  if (launched === undefined) {
    const what = `the runtime answered ${sent.status}, but neither {"launched": true} nor {"launched": false}`;
    throw failed({ reason: what, isFinal: false });
  }
  if (!launched) {
    const message = reason ?? 'Fallback launcher declined to start an agent';
    attempt.declined();
    throw failure({ type: 'launch-failed', message, isFinal: true });
  }
}

interface Why {
  reason: string;
  isFinal: boolean;
  retryAfterMs?: number;
  cause?: unknown;
}

function failed({ reason, isFinal, retryAfterMs, cause }: Why) {
  const message = `Fallback agent launch failed: ${reason}`;
  return failure({ type: 'launch-failed', message, isFinal, retryAfterMs, cause });
}

/** What a runtime says to a request for an agent, as far as it keeps to the contract. */
interface LaunchReply {
  launched?: boolean;
  agentId?: string;
  reason?: string;
}

const MAX_REASON_CHARS = 300;
/** As long as an event's own name of its agent. */
const MAX_ID_CHARS = 200;

function readReply(body: string, redactor: Redactor): LaunchReply {
  const fields = fieldsOf(body);
  const [launched, id, reason] = ['launched', 'agentId', 'reason'].map((name) => fields.get(name));
  const why = typeof reason === 'string' ? oneLine(redactor.text(reason), MAX_REASON_CHARS) : '';
  const isId = typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARS;
  return {
    ...(typeof launched === 'boolean' && { launched }),
    // As the events of that agent carry it, from which secrets are taken as well.
    ...(isId && { agentId: redactor.text(id) }),
    ...(why !== '' && { reason: why }),
  };
}

function fieldsOf(body: string): Map<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  } catch {
    return new Map();
  }
}
