import type { Verdict } from '#contract/views/verdicts.js';

// A second, independent answer to "what should the guards say?". It keeps no windows: only the list of everything that ever
// fired, which it asks anew for each event. Slow and simple on purpose; it shares no code with what it checks.

export interface ModelRule {
  id: string;
  event: string;
  outcome?: string;
  tool?: string;
  mode: 'enforce' | 'shadow' | 'off';
  enabled: boolean;
  maxDepth?: number;
  cooldownMs: number;
  cooldownBy?: ModelPath;
  dedupBy?: ModelPath;
  actions: { name: string; enabled: boolean; dedupWindowMs: number; spawns: boolean }[];
}

export interface ModelRuleset {
  enabled: boolean;
  maxChainDepth: number;
  maxDescendants: number;
  maxEventAgeMs?: number;
  rules: ModelRule[];
}

export type ModelPath = 'session' | 'tool' | 'error';

export interface ModelEvent {
  id: string;
  event: string;
  outcome: string;
  session?: string;
  /** The first event of its chain, as reported. */
  root?: string;
  depth: number;
  ageMs: number;
  tool: string;
  error: string;
}

interface PastFiring {
  rule: string;
  action: string;
  likeness: string;
  scope: string;
  coolsUntilAt: number;
  repeatsUntilAt: number;
}

export class ReferenceModel {
  private firings: PastFiring[] = [];
  private readonly ids: string[] = [];
  private readonly spawns: { root: string; at: number }[] = [];

  /** Reasons of `no-match` are left out: they are not the guards' business. */
  judge(ruleset: ModelRuleset, event: ModelEvent, now: number): Verdict[] {
    if (this.ids.includes(event.id)) return [skip('duplicate', 'event id already seen')];
    this.ids.push(event.id);
    const { maxEventAgeMs, maxChainDepth } = ruleset;
    if (maxEventAgeMs !== undefined && event.ageMs > maxEventAgeMs) {
      return [skip('stale', `event is ${event.ageMs}ms old, maxEventAgeMs is ${maxEventAgeMs}`)];
    }
    if (!ruleset.enabled) return [skip('disabled', 'ruleset disabled')];
    if (event.depth >= maxChainDepth) {
      return [skip('max-depth', `max chain depth reached (${event.depth}/${maxChainDepth})`)];
    }
    const looking = ruleset.rules.filter((rule) => looksAt(rule, event));
    if (looking.length === 0) return [skip('no-match', '')];
    const verdicts: Verdict[] = [];
    let [fired, actions] = [0, 0];
    for (const [place, rule] of looking.entries()) {
      const left = looking.length - place;
      const notJudged = `not judged: ${left} more`;
      if (fired === 50) {
        const reason = `50 rules fired for this event, the most that one event may fire; ${notJudged}`;
        return [...verdicts, skip('rule-limit', reason)];
      }
      actions += rule.actions.length;
      if (actions > 1_000) {
        const reason = `${place} rules judged for this event, as many as have 1000 actions; ${notJudged}`;
        return [...verdicts, skip('rule-limit', reason)];
      }
      const ofRule = this.judgeRule(ruleset, rule, event, now);
      if (ofRule.some(({ verdict }) => verdict === 'fire')) fired += 1;
      verdicts.push(...ofRule);
    }
    return verdicts;
  }

  rearm(rule: string | undefined): void {
    this.firings = this.firings.filter((past) => rule !== undefined && past.rule !== rule);
  }

  private judgeRule({ maxDescendants }: ModelRuleset, rule: ModelRule, event: ModelEvent, now: number): Verdict[] {
    const forAll = (code: 'rule-depth' | 'cooldown', reason: string, untilAt?: number) =>
      rule.actions.map(({ name }) => ({ ...skip(code, reason, untilAt), rule: rule.id, action: name }));
    if (rule.maxDepth !== undefined && event.depth >= rule.maxDepth) {
      return forAll('rule-depth', `rule maxDepth reached (${event.depth}/${rule.maxDepth})`);
    }
    const scope = rule.cooldownBy === undefined ? '' : `by ${valueOf(event, rule.cooldownBy)}`;
    const ofRule = this.firings.filter((past) => past.rule === rule.id);
    const coolsUntilAt = Math.max(0, ...ofRule.filter((past) => past.scope === scope).map((past) => past.coolsUntilAt));
    if (coolsUntilAt > now) return forAll('cooldown', `rule cooldown active for ${coolsUntilAt - now}ms`, coolsUntilAt);

    const likeness = likenessOf(rule, event);
    return rule.actions.map((action): Verdict => {
      const named = { rule: rule.id, action: action.name };
      if (!action.enabled) return { ...named, ...skip('disabled', 'action disabled') };
      const alike = ofRule.filter((past) => past.action === action.name && past.likeness === likeness);
      const repeatsUntilAt = Math.max(0, ...alike.map((past) => past.repeatsUntilAt));
      if (repeatsUntilAt > now) {
        return { ...named, ...skip('dedup', `dedup window active for ${repeatsUntilAt - now}ms`, repeatsUntilAt) };
      }
      const root = event.root ?? event.id;
      const stems = this.spawns.filter((spawn) => spawn.root === root);
      const recent = stems.filter(({ at }) => at > now - 10_000);
      if (action.spawns && stems.length >= maxDescendants) {
        const reason = `${stems.length} agents stem from event ${root} already (maxDescendants ${maxDescendants})`;
        return { ...named, ...skip('descendants', reason) };
      }
      if (action.spawns && recent.length >= 3) {
        const reason = `${recent.length} agents were started for event ${root} in the last 10 s`;
        return { ...named, ...skip('spawn-rate', reason) };
      }
      if (action.spawns && rule.mode !== 'shadow') this.spawns.push({ root, at: now });
      this.firings.push({
        ...named,
        likeness,
        scope,
        coolsUntilAt: now + rule.cooldownMs,
        repeatsUntilAt: now + action.dedupWindowMs,
      });
      return rule.mode === 'shadow'
        ? { ...named, ...skip('shadow', 'shadow mode: would fire') }
        : { ...named, verdict: 'fire' };
    });
  }
}

function looksAt(rule: ModelRule, event: ModelEvent): boolean {
  return (
    rule.enabled &&
    rule.mode !== 'off' &&
    rule.event === event.event &&
    (rule.outcome === undefined || rule.outcome === event.outcome) &&
    (rule.tool === undefined || rule.tool === event.tool)
  );
}

function likenessOf(rule: ModelRule, event: ModelEvent): string {
  if (rule.dedupBy !== undefined) return `${rule.dedupBy}=${valueOf(event, rule.dedupBy)}`;
  return [event.event, event.outcome, valueOf(event, 'session'), event.tool, event.error].join('|');
}

function valueOf(event: ModelEvent, path: ModelPath): string {
  return event[path] ?? 'none';
}

function skip(code: Extract<Verdict, { verdict: 'skip' }>['code'], reason: string, untilAt?: number) {
  return { verdict: 'skip', code, reason, ...(untilAt !== undefined && { untilAt }) } as const;
}
