import { z } from 'zod';
import { milliseconds, strict } from '#contract/text/schema-words.js';
import { SECRET } from '../secret.js';
import { httpUrl, plainOrSecret, secretText } from './words.js';
import { isWrittenSecret, SECRET_PROBLEM } from './written-secret.js';

const HEADER_NAME = /^[\w!#$%&'*+.^|~-]+$/;
/** The mesh sets them itself. */
const TAKEN = /^(host|connection|content-(type|length)|transfer-encoding|idempotency-key)$/i;
/** Headers that carry credentials by any common name. */
const CREDENTIAL = /auth|cookie|token|key|secret|password/i;

const Headers = z
  .record(
    z.string(),
    plainOrSecret().refine((value) => /^[\t\x20-\x7e]*$/.test(value), { error: 'is not one line of plain characters' }),
    { error: 'an object of header to value' },
  )
  .superRefine((headers, context) => {
    for (const [name, value] of Object.entries(headers)) {
      const problem = headerProblem(name, value);
      if (problem)
        context.addIssue({ code: 'custom', path: [name], message: problem[0], params: { hint: problem[1] } });
    }
  });

function headerProblem(name: string, value: string): [message: string, hint: string] | undefined {
  if (!HEADER_NAME.test(name)) return ['is not the name of a header', 'letters, digits and dashes'];
  if (TAKEN.test(name)) return ['is a header that the mesh sets itself', 'remove it'];
  if (isWrittenSecret(value)) return [SECRET_PROBLEM.message, SECRET_PROBLEM.hint];
  if (CREDENTIAL.test(name) && !SECRET.test(value)) return ['may hold a secret', 'write ${env:NAME} or ${file:path}'];
  return undefined;
}

/** Where a runtime takes requests for agents. */
export const AgentEndpoint = strict({
  url: httpUrl(': put it into token or a header'),
  /** Sent as a bearer token. */
  token: secretText().optional(),
  headers: Headers.default({}),
  /** For the answer; the time limit of the agent itself stands beside `http`. */
  timeoutMs: milliseconds(1, 600_000).default(10_000),
}).superRefine(({ token, headers }, context) => {
  const name = Object.keys(headers).find((header) => header.toLowerCase() === 'authorization');
  if (token === undefined || name === undefined) return;
  const params = { hint: 'remove one of the two' };
  context.addIssue({
    code: 'custom',
    path: ['headers', name],
    message: 'stands beside token, which is this header',
    params,
  });
});
export type AgentEndpoint = z.output<typeof AgentEndpoint>;
