import { z } from 'zod';
import type { Problem } from '#contract/text/problem.js';
import { flag, oneOf, strict } from '#contract/text/schema-words.js';
import { secretText } from './words.js';
import { isSecretInUrl, SECRET_PROBLEM } from './written-secret.js';

export const BRIDGE_KINDS = ['http', 'kubernetes'] as const;

/** Where `warm_remote_capacity` gets its capacity from. */
export const Bridge = strict({
  /** `http`: a bridge as config/examples/capacity-bridge.openapi.yaml describes it. `kubernetes`: one scalable object. */
  kind: oneOf(BRIDGE_KINDS).default('http'),
  url: z.url({ protocol: /^https?$/, error: 'an http or https address' }),
  /** Sent as a bearer token. */
  token: secretText().optional(),
  /** Certificates in PEM form that are trusted beside the usual ones. */
  ca: secretText().optional(),
  enabled: flag().default(true),
}).superRefine((bridge, context) => {
  for (const { path, ...problem } of bridgeProblems(bridge)) {
    context.addIssue({ code: 'custom', path: [path], message: problem.message, params: problem });
  }
});
export type Bridge = z.output<typeof Bridge>;

/** An object of any kind that has the subresource `scale`. The mesh adds that word to the address. */
const SCALABLE = /\/namespaces\/[a-z\d-]+\/[a-z]+\/[a-z\d.-]+\/?$/;

const IN_TOKEN = 'credentials belong into token';
const OTHER_NAME = `${IN_TOKEN}; a name in the path that only looks like one, such as sk-…, must be another`;

function bridgeProblems({ kind, url, token }: Pick<Bridge, 'kind' | 'url' | 'token'>): Problem[] {
  // The schema has already said that this is no address.
  if (!URL.canParse(url)) return [];
  const { protocol, pathname, username, password, search, hash } = new URL(url);
  const problems: Problem[] = [];
  if (username + password !== '') {
    problems.push({ path: 'url', message: 'holds a user name or a password', hint: IN_TOKEN });
  }
  if (search + hash !== '') {
    problems.push({ path: 'url', message: 'must end without ? and #: paths are added to it' });
  }
  // The name of a Kubernetes object is no secret, though it may look like one.
  if (isSecretInUrl(kind === 'kubernetes' ? url.replace(SCALABLE, '') : url)) {
    problems.push({ path: 'url', message: SECRET_PROBLEM.message, hint: OTHER_NAME });
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
