import { REDACTED } from './redacted.js';

/**
 * What a key says of its value: a secret whatever it is; unless it counts something (`max_tokens: 100`); unless it is a
 * number (`pass: 12`) or a path (`PWD=/tmp`); only when it is a text (`auth` may hold an object, whose own keys decide).
 */
export type SecretKind = 'any' | 'not-a-count' | 'not-a-number' | 'not-a-path' | 'text';

export interface SecretKeys {
  kindOf(key: string): SecretKind | undefined;
  /** How such keys end where they stand in a text: the source of a pattern. */
  written: string;
}

/** Tells secrets by the key they stand under; `ownKeys` are secrets too, compared without regard to case, `-` and `_`. */
export function secretKeys(ownKeys: readonly string[] = []): SecretKeys {
  const own = new Set(ownKeys.map(joined).filter((key) => key !== ''));
  return {
    kindOf: (key) => (own.size > 0 && own.has(joined(key)) ? 'any' : kindOf(key)),
    written: [WRITTEN, ...[...own].map(withSeparators)].join('|'),
  };
}

/** Under such a key the name of another may stand, whose value is beside it. */
export const NAME = /^(?:name|key|header|field)$/i;

/** Whether a value of this kind is to be hidden. Nothing, yes and no are never secrets. */
export function isSecret(kind: SecretKind | undefined, value: unknown): boolean {
  if (kind === undefined || value === null || value === undefined || value === '') return false;
  if (typeof value === 'boolean') return false;
  switch (kind) {
    case 'any':
      return true;
    case 'not-a-count':
      return !isCount(value);
    case 'not-a-number':
      return typeof value !== 'number';
    case 'not-a-path':
      return !(typeof value === 'string' && PATH.test(value));
    case 'text':
      return typeof value === 'string';
  }
}

const PATH = /^(?:[/~.]|[A-Za-z]:[\\/])[\w./~\\ -]*$/;

/** Looked for at the end of a key, so that `GITHUB_TOKEN` and `dbPassword` are found, and `token_count` is not. */
const ENDINGS = [
  ...['password', 'passwd', 'passphrase', 'passcode', 'passwordhash', 'secret', 'secretid', 'token', 'jwt', 'bearer'],
  ...['apikey', 'accesskey', 'secretkey', 'privatekey', 'signingkey', 'encryptionkey', 'masterkey', 'accountkey'],
  ...['authkey', 'sharedkey', 'subscriptionkey', 'rolekey', 'clientkeydata', 'authorization', 'cookie', 'credential'],
  ...['connectionstring', 'dsn', 'xamzsignature', 'xgoogsignature', 'extpat', 'devopspat', 'pwd'],
  // Anyone who has the address of a webhook can post to it.
  'webhookurl',
  // `pass` alone would find `bypass`.
  ...['dbpass', 'userpass', 'smtppass', 'sshpass', 'storepass', 'keypass'],
];
/** Which of several it is: `API_KEY_PROD`, `password2`, `SECRET_KEY_BASE`. */
const WHICH = 'v?\\d{1,3}|prod|production|staging|dev|test|old|new|value|base|base64|b64';
const ENDING = new RegExp(`(?:${ENDINGS.join('|')})(s?)(?:${WHICH})?$`);
const ENDING_CHARS = 40;

/** The last words of the same keys: what a text is searched for before anything else is looked at. */
const WRITTEN =
  '(?:pass(?:word|wd|phrase|code)?(?:[-_.]?hash)?s?|secret(?:[-_.]?id)?s?|tokens?|jwts?|bearer|keys?(?:[-_.]?data)?' +
  '|auth|authorization|cookies?|credentials?|string|dsn|signature|pat|pwd|webhook[-_.]?url)' +
  `(?:[-_.]?(?:${WHICH}))?`;

function kindOf(key: string): SecretKind | undefined {
  const end = key.slice(-ENDING_CHARS);
  const name = joined(end);
  if (name === 'pwd' || name === 'oldpwd' || name.endsWith('credentials')) return 'not-a-path';
  const found = ENDING.exec(name);
  if (found) return found[1] === 's' ? 'not-a-count' : 'any';
  // A word of its own, as in DB_PASS. Alone it counts tests as often as it is a password.
  if (name === 'pass') return 'not-a-number';
  if (/[^A-Za-z]pass$|[^A-Z]P(?:ass|ASS)$/.test(end)) return 'any';
  if (name === 'auth') return 'text';
  return undefined;
}

function joined(key: string): string {
  return key.toLowerCase().replace(/[-_.\s]/g, '');
}

function withSeparators(key: string): string {
  return [...key].map((letter) => letter.replace(/[^\p{L}\p{N}]/u, String.raw`\$&`)).join('[-_.]?');
}

/** Numbers, however they are grouped: `tokens: {input: 5, output: 7}`. What is hidden already makes no difference. */
function isCount(value: unknown): boolean {
  if (typeof value === 'string') return /^\d{0,15}$/.test(value.replaceAll(REDACTED, ''));
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(isCount);
}
