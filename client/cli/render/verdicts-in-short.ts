import type { LoggedVerdict } from '#contract/verdict.js';

/** The verdicts on one event in a few words: "retry: fire; tell-all: cooldown; no-match". */
export function verdictsInShort(entries: readonly LoggedVerdict[]): string {
  const said = new Map<string | undefined, Set<string>>();
  for (const entry of entries) {
    const words = said.get(entry.rule) ?? new Set();
    const times = entry.times === undefined ? '' : ` (${entry.times} times)`;
    said.set(entry.rule, words.add(entry.verdict === 'fire' ? 'fire' : `${entry.code}${times}`));
  }
  return [...said]
    .map(([rule, words]) => [...(rule === undefined ? [] : [rule]), [...words].join(', ')].join(': '))
    .join('; ');
}
