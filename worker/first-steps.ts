import type { RulesetAnswer } from '#config/ruleset-store.js';
import type { MeshEvent } from '#contract/event.js';
import { DEFAULT_TENANT } from '#contract/names.js';
import { shellWord } from '#contract/text/shell-word.js';
import { simulate } from '#rules/simulate.js';

/** What to type first, `reach` before it: an event that fires with the rules in use, or how to find one. */
export function firstSteps(rules: RulesetAnswer, reach: string, now: number): string[] {
  // What is wrong with them was said, and comes first.
  if (!rules.available) return [];
  const [verdicts = []] = simulate(rules, [{ atMs: now, event: eventAt(now) }]);
  if (verdicts.some(({ verdict }) => verdict === 'fire')) {
    return [
      'Make a rule fire, from a second terminal in this folder:',
      `  ${reach}npx mesh send --event ${EVENT} --outcome failed --payload '${JSON.stringify(PAYLOAD)}'`,
    ];
  }
  return [
    'See what the rules do with an event, from a second terminal in this folder:',
    `  npx mesh simulate --explain --rules ${shellWord(rules.source)} --events <file>`,
  ];
}

const EVENT = 'PostToolUseFailure';
const PAYLOAD = { tool_name: 'Bash', error: 'timeout' };

function eventAt(now: number): MeshEvent {
  const said = { event: EVENT, outcome: 'failed' as const, payload: PAYLOAD };
  return { ...said, id: 'first', tenant: DEFAULT_TENANT, depth: 0, occurredAt: now };
}
