import { isReference } from '#contract/text/redact/harmless-values.js';
import { isSecret, secretKeys } from '#contract/text/redact/secret-keys.js';
import { hideShapes } from '#contract/text/redact/secret-shapes.js';
import { SECRET } from '../secret.js';

/** What to tell someone who wrote a secret into the configuration, where others read it, too. */
export const SECRET_PROBLEM = { message: 'holds what looks like a secret', hint: 'write ${env:NAME} or ${file:path}' };

/** Whether a value is a secret by its look, or by the name it stands under. */
export function isWrittenSecret(value: string, name = ''): boolean {
  if (SECRET.test(value)) return false;
  if (hideShapes(value) !== value) return true;
  return isSecret(KEYS.kindOf(name), value) && !SAYS_NONE.test(value) && !isFile(value);
}

/** Yes and no, and what stands for a key where none is asked for, as with models on one's own machine. */
const SAYS_NONE =
  /^(?:true|false|yes|no|on|off|[01]|none|null|empty|unset|unused|dummy|fake|placeholder|ollama|local|lm-?studio|vllm|x+|(?:sk-)?no[-_]key(?:[-_](?:needed|required))?|not[-_](?:needed|required|set|used))$/i;

/** Where a secret is, not what it is. */
function isFile(value: string): boolean {
  return ENDS_LIKE_A_FILE.test(value) && (IS_BARE_NAME.test(value) || IS_PATH.test(value));
}

const ENDS_LIKE_A_FILE = /\.(?:asc|ca|cer|conf|crt|env|ini|jks|json|kdbx|key|p12|p8|pem|pfx|toml|txt|ya?ml)$/i;
const IS_BARE_NAME = /^[\w./~\\-]+$/;
/** What begins like a path may have blanks in it, and the sign behind a drive. A passphrase begins otherwise. */
const IS_PATH = /^(?:[A-Za-z]:|~|\.{1,2})?[\\/][\w./~\\ -]*$/;

/** The same of an address: where it leads, and each of its parameters. One with a user in it is another matter. */
export function isSecretInUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { host, pathname, searchParams } = new URL(url);
  return isSecretPath(host, pathname) || [...searchParams].some(([name, value]) => isSecretParameter(value, name));
}

/** Behind some hosts any path is a secret. A host name itself is never a secret. */
function isSecretPath(host: string, pathname: string): boolean {
  return !hideShapes(host + pathname).endsWith(pathname);
}

function isSecretParameter(value: string, name: string): boolean {
  return isWrittenSecret(value, name) || (SIGNS.test(name) && value.length >= SIGNATURE_CHARS);
}

/**
 * Clouds use these names for a parameter that opens an address to anyone who has it. Elsewhere, or when its value is short, the
 * name is an ordinary word.
 */
const SIGNS = /^(?:sig|signature|code)$/i;
const SIGNATURE_CHARS = 16;

/** Which arguments of a program are secrets: by their look, or by the name they stand under. */
export function secretArguments(written: readonly string[]): number[] {
  return [...written.keys()].filter(
    (index) => isSecretArgument(written[index] ?? '') || isSecretAfter(written[index - 1] ?? '', written[index] ?? ''),
  );
}

/** `--api-key=…`, `API_KEY=…`, and both at once: `--config=api_key=…`. */
function isSecretArgument(argument: string): boolean {
  if (isWrittenSecret(argument)) return true;
  const { name = '', value = '' } = (LONG.exec(argument) ?? VARIABLE.exec(argument))?.groups ?? {};
  return isNamedSecret(value, name) || (OPTION.test(name) && isSecretArgument(value));
}

/** `--api-key …`, unless that is the next option, or the sign that there are no more. */
function isSecretAfter(name: string, argument: string): boolean {
  return OPTION.test(name) && !argument.startsWith('-') && isNamedSecret(argument, name);
}

const OPTION = /^--?[A-Za-z][\w.-]*$/;

const LONG = /^(?<name>--?[A-Za-z][\w.-]*)=(?<value>[^]*)$/;
/** In front of more words it is a line for a shell, or a sentence: no name is looked for in there. */
const VARIABLE = /^(?<name>[A-Za-z_][\w.-]*)=(?<value>\S*)$/;

/**
 * A path says where a secret is. Among variables only what ends like a file is taken for one, since there any value can be
 * written in another way.
 */
function isNamedSecret(value: string, name: string): boolean {
  return isWrittenSecret(value, name) && !isReference(value) && !IS_PATH.test(value);
}

const KEYS = secretKeys();
