import { z } from 'zod';
import { bareUrlProblem } from '#contract/text/bare-url.js';
import { isSecretInUrl, SECRET_PROBLEM } from './written-secret.js';

/** An address that is no secret. One with credentials in it would stand in messages and logs; `instead` says where they go. */
export function httpUrl(instead = '') {
  return z.url({ protocol: /^https?$/, error: 'an http or https address' }).superRefine((url, context) => {
    const problem = secretProblem(url);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem + instead });
  });
}

function secretProblem(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { username, password } = new URL(url);
  if (username + password !== '') return 'holds a user name or a password';
  return isSecretInUrl(url) ? SECRET_PROBLEM.message : undefined;
}

/** The same, of pages below it: paths are added. */
export function bareHttpUrl() {
  return z.url({ protocol: /^https?$/, error: 'an http or https address' }).superRefine((url, context) => {
    const message = bareUrlProblem(url);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}
