import type { z } from 'zod';
import type { MeshEvent } from '#contract/event.js';
import type { Action } from '#contract/actions/index.js';
import type { Rule, Ruleset } from '#contract/ruleset.js';
import type { LoadedRuleset } from '#rules/match-batch.js';
import { checkRuleset } from '#rules/parse-ruleset.js';

/** Rules as people write them: what has a default may be left out. */
export type WrittenAction = z.input<typeof Action>;
export type WrittenRule = z.input<typeof Rule>;
export type WrittenRuleset = z.input<typeof Ruleset>;

/** A valid event; a test names only what it is about. */
export function anEvent(overrides: Partial<MeshEvent> = {}): MeshEvent {
  return {
    id: 'event-1',
    event: 'PostToolUseFailure',
    outcome: 'failed',
    tenant: 'default',
    depth: 0,
    occurredAt: 0,
    payload: {},
    ...overrides,
  };
}

/** A valid rule, as written, that looks at `anEvent()`. */
export function aRule(overrides: Partial<WrittenRule> = {}): WrittenRule {
  return {
    id: 'a-rule',
    trigger: { event: 'PostToolUseFailure' },
    actions: [{ type: 'notify_team', id: 'tell' }],
    ...overrides,
  };
}

/** A checked ruleset. Windows are 0 unless a test gives them. */
export function aRuleset(rules: WrittenRule[] = [aRule()], overrides: Partial<WrittenRuleset> = {}): Ruleset {
  const checked = checkRuleset({ defaultCooldownMs: 0, defaultDedupWindowMs: 0, ...overrides, rules });
  if (!checked.ok) throw new Error(`the ruleset of this test is not valid: ${JSON.stringify(checked.problems)}`);
  return checked.ruleset;
}

/** A ruleset as a worker holds it. */
export function aLoadedRuleset(ruleset: Ruleset = aRuleset()): LoadedRuleset {
  return { ruleset, hash: 'abc', source: 'rules.yaml', problems: [] };
}
