import { text } from '#contract/text/schema-words.js';
import { SECRET } from '../secret.js';

const EXPECTED = '${env:NAME} or ${file:path}';

/** The place of a secret. It is read when it is needed, so the secret itself never stands in the configuration. */
export function secretText() {
  return text(EXPECTED).regex(SECRET, { error: EXPECTED });
}
