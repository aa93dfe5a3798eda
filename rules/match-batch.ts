import { formatProblem, problemsOf } from '../contract/problem.js';
import { MeshEvent } from '../contract/event.js';
import type { EventMatches, MatchedBatch } from '../contract/matched.js';
import type { Ruleset } from '../contract/ruleset.js';
import { matchEvent, ruleFacts } from './match.js';
import { messageOf } from '../contract/message-of.js';

export interface LoadedRuleset {
  ruleset: Ruleset;
  hash: string;
  source: string;
  /** Why a newer version of the file is not in use. */
  problems: string[];
}

/** The answer is recorded in the watch's history, where one record may take 2 MB. */
const MAX_ANSWER_CHARS = 500_000;

/**
 * Matches a batch against one ruleset. An event that cannot be judged becomes an error of its own and harms no other. With
 * a great many rules the answer may cover only the first events of the batch.
 */
export function matchBatch(
  loaded: LoadedRuleset,
  events: readonly unknown[],
): Extract<MatchedBatch, { available: true }> {
  const { ruleset, hash, source, problems } = loaded;
  const matched: EventMatches[] = [];
  let answerChars = 0;
  for (const event of events) {
    const one = matchOne(ruleset, event);
    matched.push(one);
    answerChars += JSON.stringify(one).length;
    if (answerChars > MAX_ANSWER_CHARS) break;
  }
  const used = new Set(matched.flatMap((one) => ('error' in one ? [] : one.matches.map(({ rule }) => rule))));
  return {
    available: true,
    ruleset: {
      hash,
      source,
      enabled: ruleset.enabled,
      maxChainDepth: ruleset.maxChainDepth,
      ...(ruleset.maxEventAgeMs !== undefined && { maxEventAgeMs: ruleset.maxEventAgeMs }),
      problems,
      rules: ruleset.rules.filter((rule) => used.has(rule.id)).map((rule) => ruleFacts(rule, ruleset)),
    },
    events: matched,
  };
}

/** Anyone with the Temporal CLI can signal a watch, so even here an event is parsed before it is trusted. */
function matchOne(ruleset: Ruleset, event: unknown): EventMatches {
  const parsed = MeshEvent.safeParse(event);
  if (!parsed.success) {
    return {
      error: `not a valid event: ${problemsOf(parsed.error, event).map(formatProblem).join('; ')}`.slice(0, 500),
    };
  }
  try {
    return matchEvent(ruleset, parsed.data);
  } catch (error) {
    return { error: `could not be matched: ${messageOf(error)}`.slice(0, 500) };
  }
}
