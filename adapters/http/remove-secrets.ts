import { inspect } from 'node:util';
import { visible } from '#contract/text/plain-text.js';
import { shortened } from '#contract/text/shorten.js';
import type { OutboundRequest } from './outbound.js';

export interface SecretRemover {
  text(text: string): string;
  /** The same as one line of limited length, for people. */
  line(text: string): string;
  isFreeOfSecrets(value: unknown): boolean;
}

const MARK = '***';
const MAX_LINE_CHARS = 300;
/** Shorter secrets would tear ordinary words and JSON apart. */
const MIN_SECRET_CHARS = 4;

/** Takes out the secrets that the caller names and those in its headers. */
export function createSecretRemover({ secrets = [], headers = {} }: OutboundRequest): SecretRemover {
  const forms = [...secrets, ...credentials(headers)]
    .flatMap(formsOf)
    .filter((form) => form.length >= MIN_SECRET_CHARS);
  // The longest goes first. Otherwise a part of a secret could be removed, and the rest would stay.
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length);
  const text = (given: string) => longestFirst.reduce((rest, form) => rest.replaceAll(form, MARK), given);
  return {
    text,
    line(given) {
      return shortened(visible(text(given)), MAX_LINE_CHARS);
    },
    isFreeOfSecrets(value) {
      const shown = inspect(value, { depth: 5 });
      return text(shown) === shown;
    },
  };
}

const CREDENTIALS = ['authorization', 'cookie', 'proxy-authorization'];

/** The whole value, and the value without a scheme such as Bearer. */
function credentials(headers: Record<string, string>): string[] {
  return Object.entries(headers)
    .filter(([name]) => CREDENTIALS.includes(name.toLowerCase()))
    .flatMap(([, value]) => [value, value.slice(value.indexOf(' ') + 1)]);
}

/** As a secret may be written on the way: in JSON, in a URL, and an address in parts. */
function formsOf(secret: string): string[] {
  const parts = URL.canParse(secret) ? partsOf(new URL(secret)) : [];
  return [secret, ...parts].flatMap((text) => [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text.toWellFormed()),
  ]);
}

/** Receivers say which hook they do not know: without its origin, or by the one part of its address that is the token. */
function partsOf({ pathname, search, searchParams }: URL): string[] {
  const path = pathname + search;
  const segments = pathname.split('/');
  const values = [...search.slice(1).split('&').map(valueOf), ...searchParams.values()];
  const parts = [pathname, path.slice(1), pathname.slice(1), ...segments, ...segments.map(decoded), ...values];
  return [path, ...parts.filter((part) => part.length >= MIN_PART_CHARS && !WORD.test(part))];
}

const MIN_PART_CHARS = 8;
/** What addresses are full of (`services`, `webhooks`, `launched`), and answers too: no token is made of so little. */
const WORD = /^[a-z]{0,12}$/;

function valueOf(parameter: string): string {
  return parameter.slice(parameter.indexOf('=') + 1);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
