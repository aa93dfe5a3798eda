import type { MeshEvent } from '#contract/event.js';
import { actionName } from '#contract/ids.js';
import type { EventMatches, RuleFacts, RuleMatch } from '#contract/matched.js';
import { MAX_JUDGED_ACTIONS } from '#contract/limits.js';
import type { Condition, Rule, Ruleset, Trigger } from '#contract/ruleset.js';
import type { MissedRule } from '#contract/views/verdicts.js';
import { cutAtWord, shortened } from '#contract/text/shorten.js';
import { cooldownKey, dedupKeys } from './fingerprint.js';
import { factsOf, type Telling } from '#contract/facts.js';
import { readPath } from './read-path.js';

/** Which rules look at this event, in file order, and what the others missed on. Pure: event and ruleset only. */
export function matchEvent(ruleset: Ruleset, event: MeshEvent): Exclude<EventMatches, { error: string }> {
  const looking: Rule[] = [];
  const misses: Miss[] = [];
  for (const rule of ruleset.rules) {
    const miss = missed(rule, event);
    if (miss === undefined) looking.push(rule);
    else misses.push({ rule: rule.id, reason: miss, isNear: rule.trigger.event === event.event });
  }
  const judged = withinLimit(looking);
  const matches = judged.map((rule) => matchOf(rule, event));
  const left = looking.length - judged.length;
  // Near misses first: a rule for another event says little about why this one did not fire.
  const ordered = [...misses.filter(({ isNear }) => isNear), ...misses.filter(({ isNear }) => !isNear)];
  return {
    matches,
    ...(left > 0 && { left }),
    missed: matches.length > 0 ? '' : summarise(ordered),
    misses: inShort(ordered),
  };
}

/** Each action will have a verdict. The first of the file, up to one that does not fit as a whole. */
function withinLimit(looking: Rule[]): Rule[] {
  let actions = 0;
  const beyond = looking.findIndex((rule) => (actions += rule.actions.length) > MAX_JUDGED_ACTIONS);
  return beyond < 0 ? looking : looking.slice(0, beyond);
}

/** What the guards need to know of a rule, with the file's defaults filled in. */
export function ruleFacts(rule: Rule, ruleset: Ruleset, { digest = false }: { digest?: boolean } = {}): RuleFacts {
  const dedupWindowMs = rule.dedupWindowMs ?? ruleset.defaultDedupWindowMs;
  // A rule on trial sends no messages.
  const telling = rule.actions.filter(({ type, enabled }) => type === 'notify_team' && enabled);
  const tells = rule.mode === 'enforce' && telling.length > 0;
  const tellsOnlyIf = tells && telling.some(({ onlyIf }) => onlyIf !== undefined);
  return {
    id: rule.id,
    mode: rule.mode === 'shadow' ? 'shadow' : 'enforce',
    ...(rule.maxDepth !== undefined && { maxDepth: rule.maxDepth }),
    cooldownMs: rule.cooldownMs ?? ruleset.defaultCooldownMs,
    ...(digest && tells && { digest }),
    ...(tells && { tells }),
    ...(tellsOnlyIf && { tellsOnlyIf }),
    actions: rule.actions.map((action, index) => ({
      name: actionName(action, index),
      ...(action.type === 'spawn_fallback_agent' && { spawns: true }),
      enabled: action.enabled,
      dedupWindowMs: action.dedupWindowMs ?? dedupWindowMs,
    })),
  };
}

function missed(rule: Rule, event: MeshEvent): string | undefined {
  if (!rule.enabled) return 'rule is disabled';
  if (rule.mode === 'off') return 'rule mode is off';
  return missedTrigger(rule.trigger, event) ?? (rule.condition && missedCondition(rule.condition, event));
}

function missedTrigger(trigger: Trigger, event: MeshEvent): string | undefined {
  if (trigger.event !== event.event) return `trigger wants ${trigger.event}`;
  const outcomes = trigger.outcome ? [trigger.outcome] : trigger.outcomes;
  if (outcomes && !outcomes.includes(event.outcome)) {
    return `trigger found outcome ${event.outcome}, wants ${outcomes.join(' or ')}`;
  }
  return undefined;
}

function matchOf(rule: Rule, event: MeshEvent): RuleMatch {
  const cooldown = cooldownKey(rule, event);
  return {
    rule: rule.id,
    cooldownKey: cooldown.key,
    ...(cooldown.label !== undefined && { cooldownLabel: cooldown.label }),
    dedupKeys: dedupKeys(rule, rule.actions.map(actionName), event),
  };
}

interface Miss extends MissedRule {
  isNear: boolean;
}

const SUMMARISED_MISSES = 3;
const MISS_CHARS = 120;

function summarise(misses: Miss[]): string {
  if (misses.length === 0) return 'the ruleset has no rules';
  const shown = misses
    .slice(0, SUMMARISED_MISSES)
    .map(({ rule, reason }) => cutAtWord(`${rule}: ${reason}`, MISS_CHARS));
  const more = misses.length - shown.length;
  return `no rule matches: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

/** Kept with the verdicts of the event, in the history and in the state of the watch, so there is room for so much only. */
const KEPT_MISSES_BYTES = 800;

function inShort(misses: Miss[]): MissedRule[] {
  const kept: MissedRule[] = [];
  let bytes = 0;
  for (const { rule, reason } of misses) {
    const miss = { rule: cutAtWord(rule, MISS_CHARS), reason: cutAtWord(reason, MISS_CHARS) };
    bytes += Buffer.byteLength(miss.rule + miss.reason);
    if (bytes > KEPT_MISSES_BYTES) break;
    kept.push(miss);
  }
  return kept;
}

/** Why an event does not meet a condition, in words; nothing when it does. All kinds must hold, any entry of a list does. */
export function missedCondition(condition: Condition, event: Telling): string | undefined {
  const { tool, status, error } = factsOf(event);
  return (
    missedNames('toolNames', condition.toolNames, tool) ??
    missedNames('taskStatuses', condition.taskStatuses, status) ??
    missedError(condition.errorIncludes, error) ??
    missedFields(condition.eventFieldEquals, event.payload ?? {})
  );
}

function missedNames(kind: string, wanted: string[] | undefined, found: string | undefined): string | undefined {
  if (!wanted?.length || (found !== undefined && wanted.includes(found))) return undefined;
  return `${kind} found ${show(found)}, wants ${wanted.join(' or ')}`;
}

/** Looks at the first non-empty error text only: an `error` of "boom" hides a `message` of "timeout". */
function missedError(wanted: string[] | undefined, found: string | undefined): string | undefined {
  if (!wanted?.length) return undefined;
  const text = found?.toLowerCase();
  if (text !== undefined && wanted.some((part) => text.includes(part.toLowerCase()))) return undefined;
  return `errorIncludes found ${show(found)}, wants ${wanted.map((part) => JSON.stringify(part)).join(' or ')}`;
}

function missedFields(wanted: Condition['eventFieldEquals'], payload: Record<string, unknown>): string | undefined {
  for (const [path, value] of Object.entries(wanted ?? {})) {
    const found = readPath(payload, path);
    if (found !== value) return `eventFieldEquals found ${path} = ${show(found)}, wants ${show(value)}`;
  }
  return undefined;
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return shortened(JSON.stringify(value), 60);
}
