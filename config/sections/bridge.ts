import { z } from 'zod';
import type { Problem } from '../../contract/problem.js';
import { flag, oneOf, strict } from '../../contract/schema-words.js';
import { secretText } from './secret-text.js';

export const BRIDGE_KINDS = ['http', 'kubernetes'] as const;

/** Where `warm_remote_capacity` gets its capacity from. */
export const Bridge = strict({
  /** `http`: a bridge as config/examples/capacity-bridge.openapi.yaml describes it. `kubernetes`: one scalable object. */
  kind: oneOf(BRIDGE_KINDS).default('http'),
  url: z.url({ protocol: /^https?$/, error: 'an http or https address' }),
  /** Sent as a bearer token. */
  token: secretText().optional(),
  /** Certificates in PEM form to trust beside those that every program trusts. */
  ca: secretText().optional(),
  enabled: flag().default(true),
}).superRefine((bridge, context) => {
  for (const { path, ...problem } of bridgeProblems(bridge)) {
    context.addIssue({ code: 'custom', path: [path], message: problem.message, params: problem });
  }
});
export type Bridge = z.output<typeof Bridge>;

/** Of any kind that has the subresource `scale`, whose name is added to the address. */
const SCALABLE = /\/namespaces\/[a-z\d-]+\/[a-z]+\/[a-z\d.-]+\/?$/;

function bridgeProblems({ kind, url, token }: Pick<Bridge, 'kind' | 'url' | 'token'>): Problem[] {
  // Not an address at all: that is one problem, and it is known.
  if (!URL.canParse(url)) return [];
  const { protocol, pathname, username, password, search, hash } = new URL(url);
  const problems: Problem[] = [];
  if (username + password !== '') {
    problems.push({ path: 'url', message: 'holds a user name or a password', hint: 'credentials belong into token' });
  }
  if (search + hash !== '') {
    problems.push({ path: 'url', message: 'must end without ? and #: paths are added to it' });
  }
  if (kind !== 'kubernetes') return problems;
  if (protocol !== 'https:') problems.push({ path: 'url', message: 'must be https for a Kubernetes API' });
  if (!SCALABLE.test(pathname)) {
    const hint = 'such as https://cluster.example/apis/apps/v1/namespaces/agents/deployments/runner';
    problems.push({ path: 'url', message: 'is not the address of a scalable object', hint });
  }
  if (token === undefined) {
    problems.push({ path: 'token', message: 'is missing: expected ${env:NAME} or ${file:path} for a Kubernetes API' });
  }
  return problems;
}
