/** Every code an error of the gateway can carry. Programs rely on them: renaming one is a breaking change. */
export const PROBLEM_CODES = {
  'malformed-http': { status: 400, meaning: 'This is not HTTP as it should be, or the path is not well encoded.' },
  'invalid-json': { status: 400, meaning: 'The body is not JSON, or nested too deep; the detail says where.' },
  'invalid-event': {
    status: 400,
    meaning: 'At least one event is not valid; `problems` lists what. Nothing was stored.',
  },
  'invalid-request': {
    status: 400,
    meaning: 'A parameter, header or body is not as described; `problems` lists what.',
  },
  unauthorized: { status: 401, meaning: 'The request shows no bearer token, or one that is not known.' },
  forbidden: { status: 403, meaning: 'The token lacks the role, or an event names the tenant of someone else.' },
  'host-refused': { status: 403, meaning: 'The gateway is not called by the name in the `Host` header.' },
  'origin-refused': { status: 403, meaning: 'A page of this origin may not call the gateway from a browser.' },
  'not-found': {
    status: 404,
    meaning: 'There is no such route, event, remediation or page, or no event of the tenant yet.',
  },
  'method-not-allowed': { status: 405, meaning: 'The route is there, for the methods in the `Allow` header.' },
  'request-timeout': { status: 408, meaning: 'The request took too long to arrive.' },
  conflict: {
    status: 409,
    meaning: 'The remediation is not in a state for that, such as aborting one that has ended.',
  },
  'too-large': { status: 413, meaning: 'The body is too large, or holds too many events. Nothing was stored.' },
  'unsupported-media-type': {
    status: 415,
    meaning: 'The route does not take a body of this `Content-Type`; most take `application/json`.',
  },
  'rate-limited': {
    status: 429,
    meaning: 'The tenant sends more than its limit. Try again after `Retry-After` seconds.',
  },
  'headers-too-large': { status: 431, meaning: 'The headers are too large.' },
  internal: { status: 500, meaning: 'A mistake of the gateway. The log has it under the request id.' },
  'not-taken': { status: 502, meaning: 'Temporal refuses this, and will refuse it again; the log says why.' },
  unavailable: { status: 503, meaning: 'Temporal does not answer in time. Send again with the same ids.' },
  'watch-full': { status: 503, meaning: 'The watch of the tenant cannot judge and holds as much as it can.' },
  'too-many-waiting': { status: 503, meaning: 'The gateway has too much waiting to be sent to Temporal.' },
  'no-record': { status: 503, meaning: 'What was judged is not kept where the gateway runs: no worker works there.' },
  'no-worker': { status: 503, meaning: 'Temporal is there, but no worker answers.' },
  'config-unavailable': { status: 503, meaning: '`mesh.yaml` does not say who may come in, so nobody may.' },
  'too-many-connections': { status: 503, meaning: 'The gateway has as many connections as it takes.' },
  stopping: { status: 503, meaning: 'The gateway is being stopped.' },
} as const;

export type ProblemCode = keyof typeof PROBLEM_CODES;
