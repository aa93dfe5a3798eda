import type { Launch, StartedAgent } from '#contract/remediation.js';

const KEPT_CHARS = 300;

/**
 * What the record of a launcher keeps of what its agent said, once another is tried: most often the end says why it failed. Not
 * more, since it goes into every message and history after it. Cut between words: half a secret is one that nobody would know.
 */
export function lastWordsOf({ outputTail = '' }: Pick<StartedAgent, 'outputTail'>): Pick<Launch, 'lastWords'> {
  const said = outputTail.trim();
  if (said === '') return {};
  if (said.length <= KEPT_CHARS) return { lastWords: said };
  const end = said.slice(-KEPT_CHARS).replace(/^\S*\s+/, '');
  return { lastWords: `…${end.toWellFormed()}` };
}
