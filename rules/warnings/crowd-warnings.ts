import { OUTCOMES, type Outcome } from '#contract/event.js';
import { MAX_FIRED_RULES } from '#contract/limits.js';
import type { Problem } from '#contract/text/problem.js';
import type { Rule, Ruleset } from '#contract/ruleset.js';

/**
 * Events that may fire more rules than one event may. Rules are taken for such as may meet in one event unless a name or value that is
 * compared exactly keeps them apart: texts that an error includes may all stand in one error.
 */
export function crowdWarnings({ rules }: Ruleset): Problem[] {
  const byEvent = new Map<string, Rule[]>();
  for (const rule of rules) {
    if (!rule.enabled || rule.mode !== 'enforce') continue;
    const ofEvent = byEvent.get(rule.trigger.event) ?? [];
    byEvent.set(rule.trigger.event, ofEvent);
    ofEvent.push(rule);
  }
  return [...byEvent].flatMap(([event, ofEvent]) => {
    const crowds = OUTCOMES.map((outcome) => ({ outcome, size: mostAtOnce(ofEvent.filter(looksFor(outcome))) }));
    const largest = crowds.reduce((one, other) => (other.size > one.size ? other : one));
    if (largest.size <= MAX_FIRED_RULES) return [];
    const message = `one ${event} with outcome ${largest.outcome} may fire ${largest.size} rules, and the most that one event may fire is ${MAX_FIRED_RULES}`;
    const hint = 'narrow their triggers or conditions, or put their actions together; the first of the file go first';
    return [{ path: 'rules', message: `${message}: the others are skipped with rule-limit`, hint }];
  });
}

function looksFor(outcome: Outcome) {
  return ({ trigger }: Rule) => {
    const wanted = trigger.outcome === undefined ? trigger.outcomes : [trigger.outcome];
    return wanted === undefined || wanted.includes(outcome);
  };
}

/** By the one field that keeps most of them apart. Never too few: an event has one value of a field, whichever that is. */
function mostAtOnce(rules: Rule[]): number {
  if (rules.length <= MAX_FIRED_RULES) return rules.length;
  const fields = new Map<string, { asking: number; withValue: Map<unknown, number> }>();
  for (const [name, values] of rules.flatMap(wishesOf)) {
    const field = fields.get(name) ?? { asking: 0, withValue: new Map<unknown, number>() };
    fields.set(name, field);
    field.asking += 1;
    for (const value of values) field.withValue.set(value, (field.withValue.get(value) ?? 0) + 1);
  }
  const sizes = [...fields.values()].map(
    ({ asking, withValue }) => rules.length - asking + [...withValue.values()].reduce((a, b) => Math.max(a, b), 0),
  );
  return sizes.reduce((a, b) => Math.min(a, b), rules.length);
}

/** The values that fields may have for the rule to look at an event. An empty list asks for nothing. */
function wishesOf({ condition = {} }: Rule): [field: string, values: Set<unknown>][] {
  const { toolNames = [], taskStatuses = [], eventFieldEquals = {} } = condition;
  const lists: [string, unknown[]][] = [
    ['tool name', toolNames],
    ['task status', taskStatuses],
    ...Object.entries(eventFieldEquals).map(([path, value]): [string, unknown[]] => [`payload.${path}`, [value]]),
  ];
  return lists.flatMap(([field, values]) => (values.length > 0 ? [[field, new Set(values)]] : []));
}
