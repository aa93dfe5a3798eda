import { z } from 'zod';
import { bareUrlProblem } from '#contract/text/bare-url.js';
import { text } from '#contract/text/schema-words.js';
import { SECRET } from '../secret.js';
import { isSecretInUrl, SECRET_PROBLEM } from './written-secret.js';

// What several sections of mesh.yaml are made of.

export const Name = text('a name').max(100, { error: 'at most 100 characters' });

/** A value as it is, or where a secret is found. What only looks like a reference would be handed on as it stands there. */
export function plainOrSecret() {
  return z
    .string({ error: 'a text' })
    .refine((written) => !written.startsWith('${') || SECRET.test(written), {
      error: 'is not ${env:NAME} or ${file:path}',
    })
    .refine((written) => !written.includes('\0'), { error: 'holds a zero byte' });
}

const EXPECTED = '${env:NAME} or ${file:path}';

/** Where a secret is found. It is read when it is needed, and the secret itself never stands in the configuration. */
export function secretText() {
  return text(EXPECTED).regex(SECRET, { error: EXPECTED });
}

/** The same, or in its place what is no secret. */
export function secretOr(expected: string, isPlain: (written: string) => boolean) {
  return z
    .string({ error: expected })
    .refine((written) => SECRET.test(written) || isPlain(written), { error: `is not ${expected}` });
}

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
