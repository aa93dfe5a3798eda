import { Context } from '@temporalio/activity';
import type { HttpAgent } from '#config/sections/agents.js';
import { resolveSecret } from '#config/secret.js';
import { messageOf } from '#contract/text/words.js';
import { judgeStatus, type OutboundAnswer } from '#adapters/http/create-outbound.js';
import { endpointRequest } from '../endpoint-request.js';
import { agentOf, answer, type Launch, type Launcher, launchFailure, leftMs } from '../launch.js';
import { type LaunchReply, readReply } from '../read-reply.js';
import { tellWatch } from '../tell-watch.js';

/** Asks a runtime elsewhere for an agent. The runtime honours the effect key, so that asking twice starts one agent. */
export const launchHttp: Launcher<HttpAgent> = async (launch, { http }, world) => {
  const secret = (written: string) => resolveSecret(written, launch.config.folder, world.env);
  const request = await endpointRequest(launch, http, secret).catch((error: unknown) => {
    throw failed(launch, { reason: messageOf(error), isFinal: false, cause: error });
  });
  const isAwaited = launch.request.plan.await === 'finished';
  await tellWatch(launch, world, { isAwaited });

  const signal = Context.current().cancellationSignal;
  const timeoutMs = Math.min(http.timeoutMs, Math.max(1, leftMs(launch)));
  const mayHaveExisted = launch.mayExist;
  launch.mayExist = true;
  const sent = await world.outbound.send({ ...request, timeoutMs, signal }, launch.config.outbound);
  // Once the runtime may have the request, nobody here knows what it makes of it.
  if (!mayHaveStarted(sent)) launch.mayExist = mayHaveExisted;
  if (sent.kind === 'cancelled') return Context.current().cancelled;
  if (sent.kind === 'failed') throw failed(launch, sent);

  const reply = readReply(sent.text, launch.redactor);
  requireLaunched(launch, sent, reply);
  const { agentId } = reply;
  if (agentId !== undefined) await tellWatch(launch, world, { agentId, isAwaited });
  const agent = agentOf(launch, 'running', agentId === undefined ? {} : { id: agentId });
  const detail = agentId === undefined ? 'Fallback agent launched' : `Fallback agent launched: ${agentId}`;
  return { ...answer(launch, 'launched', agent, detail), timeoutMs: launch.timeoutMs };
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
  sent: Extract<OutboundAnswer, { kind: 'answered' }>,
  { launched, reason }: LaunchReply,
): void {
  // Somebody has used this effect key before, and that can only be this very action.
  if (sent.status === 409) return;
  const verdict = judgeStatus(sent, Date.now());
  if (!verdict.ok) throw failed(launch, { ...verdict, reason: `the runtime ${launch.redactor.text(verdict.reason)}` });
  if (launched === undefined) {
    const what = `the runtime answered ${sent.status}, but neither {"launched": true} nor {"launched": false}`;
    throw failed(launch, { reason: what, isFinal: false });
  }
  if (!launched) {
    const message = reason ?? 'Fallback launcher declined to start an agent';
    throw launchFailure(launch, { type: 'launch-failed', message, isFinal: true, declinedSession: launch.session });
  }
}

interface Why {
  reason: string;
  isFinal: boolean;
  retryAfterMs?: number;
  cause?: unknown;
}

function failed(launch: Launch, { reason, isFinal, retryAfterMs, cause }: Why) {
  const message = `Fallback agent launch failed: ${reason}`;
  return launchFailure(launch, { type: 'launch-failed', message, isFinal, retryAfterMs, cause });
}
