import { formatProblem, problemsOf } from '#contract/text/problem.js';
import { MeshEvent } from '#contract/event.js';
import type { AgentEnd, EventMatches, MatchedBatch, RuleFacts } from '#contract/matched.js';
import type { Ruleset } from '#contract/ruleset.js';
import { verifyLineage } from './lineage/verify.js';
import { matchEvent, ruleFacts } from './match.js';
import { messageOf } from '#contract/text/words.js';
import { worksIn } from './guards/works.js';
import { factsOf, MAX_TAIL_CHARS, type Telling } from '#contract/facts.js';

export interface LoadedRuleset {
  ruleset: Ruleset;
  hash: string;
  source: string;
  /** The reason why a newer version of the file is not in use. */
  problems: string[];
}

/** What matching needs beyond the rules. `simulate` has none of it: it believes what an event says of itself. */
export interface MatchContext {
  /** Whose watch it is, and what its lineage tokens are signed with. */
  lineage?: { key: string; tenant: string; now: number };
  redact?(text: string): string;
  /** The team wants to hear what a cooldown kept quiet. */
  digest?: boolean;
}

/** The answer is recorded in the watch's history, where one record may take 2 MB. */
const MAX_ANSWER_CHARS = 500_000;
/** The part of it for reasons of rules that did not look at an event. These may be several times as long as the event. */
const MAX_MISSES_CHARS = 80_000;

/**
 * Matches a batch against one ruleset. An event that cannot be judged becomes an error of its own and harms no other. With
 * a great many rules the answer may cover only the first events of the batch.
 */
export function matchBatch(
  loaded: LoadedRuleset,
  events: readonly unknown[],
  context: MatchContext = {},
): Extract<MatchedBatch, { available: true }> {
  const { ruleset, hash, source, problems } = loaded;
  const matched: EventMatches[] = [];
  const facts = new Map<string, RuleFacts>();
  const rules = new Map(ruleset.rules.map((rule) => [rule.id, rule]));
  let answerChars = 0;
  for (const event of events) {
    const one = matchOne(ruleset, event, context);
    matched.push(one);
    answerChars += JSON.stringify(one).length;
    for (const { rule: id } of 'error' in one ? [] : one.matches) {
      const rule = rules.get(id);
      if (!rule || facts.has(id)) continue;
      const fact = ruleFacts(rule, ruleset, context);
      facts.set(id, fact);
      answerChars += JSON.stringify(fact).length;
    }
    if (answerChars > MAX_ANSWER_CHARS) break;
  }
  return {
    available: true,
    ruleset: {
      hash,
      source,
      enabled: ruleset.enabled,
      maxChainDepth: ruleset.maxChainDepth,
      maxDescendants: ruleset.maxDescendants,
      ...(ruleset.maxEventAgeMs !== undefined && { maxEventAgeMs: ruleset.maxEventAgeMs }),
      problems,
      rules: ruleset.rules.flatMap(({ id }) => facts.get(id) ?? []),
    },
    events: withFewMisses(matched),
  };
}

/** The watch keeps what it says of the last few hundred events: so those of a large batch that come first say less. */
function withFewMisses(matched: EventMatches[]): EventMatches[] {
  let chars = 0;
  const fromLast = matched.toReversed().map((one): EventMatches => {
    if ('error' in one) return one;
    const { missed, misses, ...rest } = one;
    chars += missed.length + (misses ? JSON.stringify(misses).length : 0);
    if (chars <= MAX_MISSES_CHARS) return one;
    return { ...rest, missed: missed === '' ? '' : 'no rule looks at this event' };
  });
  return fromLast.toReversed();
}

/** Anyone with the Temporal CLI can signal a watch, so even here an event is parsed before it is trusted. */
function matchOne(ruleset: Ruleset, event: unknown, context: MatchContext): EventMatches {
  const parsed = MeshEvent.safeParse(event);
  if (!parsed.success) {
    return {
      error: `not a valid event: ${problemsOf(parsed.error, event).map(formatProblem).join('; ')}`.slice(0, 500),
    };
  }
  try {
    return { ...matchEvent(ruleset, parsed.data), ...learn(parsed.data, context) };
  } catch (error) {
    return { error: `could not be matched: ${messageOf(error)}`.slice(0, 500) };
  }
}

/** What an event tells besides what rules look at. */
function learn(
  event: MeshEvent,
  { lineage: check, redact = (text) => text }: MatchContext,
): Pick<Extract<EventMatches, { matches: unknown }>, 'lineage' | 'agentEnd' | 'works'> {
  const token = event.lineage?.token;
  const agentEnd = agentEndOf(event, redact);
  const works = worksIn(event);
  return {
    ...(token !== undefined && check && { lineage: verifyLineage(token, check) }),
    ...(agentEnd && { agentEnd }),
    ...(works && { works }),
  };
}

/** How the agent ended that an event came from; nothing when the event tells of no end. */
export function agentEndOf(event: Telling, redact: (text: string) => string): AgentEnd | undefined {
  const { endsAgent } = factsOf(event, redact);
  if (!endsAgent) return undefined;
  const { outcome, outputTail } = endsAgent;
  return { outcome, ...(outputTail !== undefined && { outputTail: tailOf(redact(outputTail)) }) };
}

/** A mark may be longer than what it hides. */
function tailOf(text: string): string {
  return text.slice(-MAX_TAIL_CHARS).toWellFormed();
}
