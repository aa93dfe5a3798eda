import type { Problem } from '#contract/text/problem.js';
import { cloudEvent, fromBinary, inCloudEvent } from '#rules/dialects/cloudevents/event.js';
import type { Mapped } from '#rules/dialects/mapped.js';
import { GatewayProblem, SHOWN_PROBLEMS } from './gateway-problem.js';
import type { Call } from './route.js';

export const CLOUD_EVENT = 'application/cloudevents+json';
export const CLOUD_EVENTS = 'application/cloudevents-batch+json';

/** Events as they were sent, not checked yet. */
export interface SentEvents {
  inputs: unknown[];
  isArray: boolean;
  /** Where the caller finds what a problem is about: dialects have other names for the same things. */
  placeOf(path: string): string;
}

/**
 * Finds the events in the body of a request, and counts them before it looks at any: one, an array, or CloudEvents in one of
 * their three HTTP forms.
 */
export function readEvents(call: Call): SentEvents {
  const { body, contentType, headers } = call;
  if (contentType === CLOUD_EVENTS && !Array.isArray(body)) throw expected('an array of CloudEvents');
  if (contentType === CLOUD_EVENT && Array.isArray(body))
    throw expected(`one CloudEvent; an array goes as ${CLOUD_EVENTS}`);
  call.countEvents(Array.isArray(body) && !isBinary(headers) ? body.length : 1);
  if (contentType === CLOUD_EVENT || contentType === CLOUD_EVENTS) return cloudEvents(body);
  if (isBinary(headers)) return cloudEvents(fromBinary(textOnly(headers), body));
  // Nothing at all is no event; in CloudEvents' binary form it is one without data.
  if (body === undefined) throw new GatewayProblem('invalid-json', 'the body is empty: expected an event, or an array');
  return { inputs: Array.isArray(body) ? body : [body], isArray: Array.isArray(body), placeOf: (path) => path };
}

function isBinary(headers: Call['headers']): boolean {
  return Object.keys(headers).some((name) => name.startsWith('ce-'));
}

function cloudEvents(body: unknown): SentEvents {
  const isArray = Array.isArray(body);
  const inputs: unknown[] = [];
  const problems: Problem[] = [];
  let problemCount = 0;
  for (const [index, raw] of (isArray ? body : [body]).entries()) {
    const mapped = cloudEvent(raw);
    if (mapped.ok) inputs.push(mapped.event);
    else {
      problemCount += mapped.problems.length;
      // Beyond those that are shown only their number counts.
      if (problems.length < SHOWN_PROBLEMS) problems.push(...problemsOf(mapped, isArray ? `[${index}]` : ''));
    }
  }
  if (problemCount > 0) throw new GatewayProblem('invalid-event', undefined, { problems, problemCount });
  return { inputs, isArray, placeOf: inCloudEvent };
}

function problemsOf(mapped: Mapped, place: string): Problem[] {
  if (mapped.ok) return [];
  return mapped.problems.map((problem) => ({
    ...problem,
    path: [place, problem.path].filter((part) => part !== '').join('.'),
  }));
}

function textOnly(headers: Call['headers']): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : undefined]),
  );
}

function expected(what: string): GatewayProblem {
  return new GatewayProblem('invalid-event', `expected ${what}`, {
    problems: [{ path: '', message: `expected ${what}`, expected: what }],
  });
}
