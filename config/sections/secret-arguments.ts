import { isReference } from '#contract/text/redact/harmless-values.js';
import { IS_PATH, isWrittenSecret } from './written-secret.js';

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
/** With more words behind it, the text is a line for a shell or a sentence, and no name is looked for in it. */
const VARIABLE = /^(?<name>[A-Za-z_][\w.-]*)=(?<value>\S*)$/;

/**
 * A path says where a secret is. Among variables only what ends like a file is taken for one, since there any value can be
 * written in another way.
 */
function isNamedSecret(value: string, name: string): boolean {
  return isWrittenSecret(value, name) && !isReference(value) && !IS_PATH.test(value);
}
