import { sha256 } from '#contract/hash.js';
import type { MeshEvent } from '#contract/event.js';
import { actionName } from '#contract/ids.js';
import { didYouMean } from '#contract/text/nearest.js';
import { visible } from '#contract/text/plain-text.js';
import { formatProblem } from '#contract/text/problem.js';
import type { Quiet, RemediationInput } from '#contract/remediation.js';
import type { Rule, Ruleset } from '#contract/ruleset.js';
import { makePlan } from '#rules/make-plan.js';
import type { LoadedRuleset } from '#rules/match-batch.js';
import { parseRuleset } from '#rules/parse-ruleset.js';
import { CliError } from '../cli-error.js';
import type { RuleTrial } from '../programs.js';
import { inputName, readInput } from '../read-input.js';
import type { Verdict } from '#contract/views/verdicts.js';
import { matchEvent, ruleFacts } from '#rules/match.js';
import { simulate } from '#rules/simulate.js';

export interface Wanted {
  ruleId: string;
  /** None: the rules of the tenant, where the settings say. */
  rulesFile: string | undefined;
  event: MeshEvent;
  isDry: boolean;
}

export interface TriedRule {
  remediation: RemediationInput;
  judgement: TryJudgement;
  /** The file of the rule. */
  source: string;
}

/** What one rule would make of one event, whatever else there is. */
export async function tryOf({ ruleId, rulesFile, event, isDry }: Wanted, trial: RuleTrial): Promise<TriedRule> {
  const loaded = rulesFile === undefined ? await trial.rules(event.tenant) : await readRules(rulesFile);
  const { ruleset, hash: rulesetHash, source } = loaded;
  const rule = ruleset.rules.find(({ id }) => id === ruleId);
  if (!rule) throw unknownRule(ruleId, loaded);
  const now = Date.now();
  const judgement = judgeTry(loaded, rule, event, now);

  const actions = rule.actions.flatMap((action, index) => (action.enabled ? [actionName(action, index)] : []));
  // A dry run shows the messages of a rule that has fired by itself; of a try nothing is quiet afterwards.
  const quiet = isDry ? quietAfter(judgement, now) : undefined;
  const fired = {
    tenant: event.tenant,
    rule: ruleId,
    actions,
    event,
    firedAt: now,
    rulesetHash,
    ...(quiet && { quiet }),
  };
  const remediation = makePlan(ruleset, fired);
  if (!remediation || actions.length === 0) {
    throw new CliError(`every action of rule ${visible(ruleId)} has \`enabled: false\`: there is nothing to try`);
  }
  return { remediation: isDry ? remediation : { ...remediation, isTry: true }, judgement, source };
}

async function readRules(file: string): Promise<LoadedRuleset> {
  const text = await readInput(file);
  const source = inputName(file);
  const parsed = parseRuleset(text, source);
  if (!parsed.ok) throw new CliError(parsed.problems.map(formatProblem).join('\n'));
  // As a worker names a version of a file.
  const hash = sha256(text).slice(0, 12);
  return { ruleset: parsed.ruleset, hash, source, problems: [] };
}

function unknownRule(ruleId: string, { ruleset, source }: LoadedRuleset): CliError {
  const known = ruleset.rules.map((rule: Rule) => rule.id);
  const hint = didYouMean(ruleId, known, `it has: ${known.join(', ') || 'none'}`);
  return new CliError(`${source} has no rule ${JSON.stringify(ruleId)} (${visible(hint)})`);
}

function quietAfter({ guards: { cooldown } }: TryJudgement, now: number): Quiet | undefined {
  if (cooldown.ms === 0) return undefined;
  return { cooldownUntilAt: now + cooldown.ms, ...(cooldown.label !== undefined && { label: cooldown.label }) };
}

interface TryJudgement {
  /** Why the rule does not look at the event; absent when it does. Whether it is enabled does not matter here. */
  missed?: string;
  /** What a watch would say that remembers nothing. */
  verdicts: Verdict[];
  guards: TryGuards;
}

/** What may stop the rule another time. */
interface TryGuards {
  cooldown: { ms: number; label?: string };
  dedups: { action: string; ms: number }[];
  depth: { is: number; max: number };
  /** Agents of one first event; absent for a rule that starts none. */
  maxDescendants?: number;
  maxEventAgeMs?: number;
}

/** Whether the rule looks at the event at all, and what the guards make of it when nothing has happened before. */
function judgeTry(loaded: LoadedRuleset, rule: Rule, event: MeshEvent, now: number): TryJudgement {
  const { ruleset } = loaded;
  const alone = { ...ruleset, rules: [rule] };
  const inForce: Ruleset = { ...ruleset, rules: [{ ...rule, enabled: true, mode: 'enforce' }] };
  const { matches, misses = [] } = matchEvent(inForce, event);
  const [verdicts = []] = simulate({ ...loaded, ruleset: alone }, [{ atMs: now, event }]);
  const missed = matches.length > 0 ? undefined : (misses[0]?.reason ?? 'the rule does not look at it');
  const label = matches[0]?.cooldownLabel;
  return { ...(missed !== undefined && { missed }), verdicts, guards: guardsOf(rule, ruleset, event, label) };
}

function guardsOf(rule: Rule, ruleset: Ruleset, { depth }: MeshEvent, label: string | undefined): TryGuards {
  const { cooldownMs, actions } = ruleFacts(rule, ruleset);
  const { maxChainDepth, maxDescendants, maxEventAgeMs } = ruleset;
  return {
    cooldown: { ms: cooldownMs, ...(label !== undefined && { label }) },
    dedups: actions
      .filter(({ enabled }) => enabled)
      .map(({ name, dedupWindowMs }) => ({ action: name, ms: dedupWindowMs })),
    depth: { is: depth, max: Math.min(maxChainDepth, rule.maxDepth ?? maxChainDepth) },
    ...(actions.some(({ spawns }) => spawns) && { maxDescendants }),
    ...(maxEventAgeMs !== undefined && { maxEventAgeMs }),
  };
}
