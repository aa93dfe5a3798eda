import { inspect } from 'node:util';
import { visible } from '../../../contract/plain-text.js';
import type { OutboundRequest } from './outbound.js';

export interface SecretRemover {
  text(text: string): string;
  /** The same as one line of a bearable length, for people. */
  line(text: string): string;
  isFreeOfSecrets(value: unknown): boolean;
}

const MARK = '***';
const MAX_LINE_CHARS = 300;
/** Less would tear ordinary words apart, and JSON with them. */
const MIN_SECRET_CHARS = 4;

/** Takes out what the caller calls secret and what its headers say is. */
export function createSecretRemover({ secrets = [], headers = {} }: OutboundRequest): SecretRemover {
  const forms = [...secrets, ...credentials(headers)]
    .flatMap(formsOf)
    .filter((form) => form.length >= MIN_SECRET_CHARS);
  // The longest first: no rest of one may stay because a part of it went before.
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length);
  const text = (given: string) => longestFirst.reduce((rest, form) => rest.replaceAll(form, MARK), given);
  return {
    text,
    line(given) {
      const line = visible(text(given));
      return line.length <= MAX_LINE_CHARS ? line : `${line.slice(0, MAX_LINE_CHARS - 1)}…`;
    },
    isFreeOfSecrets(value) {
      const shown = inspect(value, { depth: 5 });
      return text(shown) === shown;
    },
  };
}

const CREDENTIALS = ['authorization', 'cookie', 'proxy-authorization'];

/** Whole, and without a scheme such as Bearer. */
function credentials(headers: Record<string, string>): string[] {
  return Object.entries(headers)
    .filter(([name]) => CREDENTIALS.includes(name.toLowerCase()))
    .flatMap(([, value]) => [value, value.slice(value.indexOf(' ') + 1)]);
}

/** As a secret may be written on the way: in JSON, in a URL, and the path of an address without its origin. */
function formsOf(secret: string): string[] {
  const path = URL.canParse(secret) ? [pathOf(new URL(secret))] : [];
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed()), ...path];
}

function pathOf({ pathname, search }: URL): string {
  return pathname + search;
}
