import type { Random } from './random.js';
import type { WrittenRule } from './site/rules-on-disk.js';

const SOON = { initialIntervalMs: 200, maxIntervalMs: 1_000 };

/** Rules of one tenant: every kind of action, window and mode, in short windows. */
export function mixedRules(random: Random): WrittenRule[] {
  const [cooldown, dedup] = [() => random.between(1, 5) * 1_000, () => random.between(1, 3) * 1_000];
  const windows = () => ({ cooldownMs: cooldown(), dedupWindowMs: dedup() });
  return [
    {
      id: 'tell',
      trigger: { event: 'PostToolUseFailure', outcome: 'failed' },
      ...windows(),
      actions: [{ id: 'team', type: 'notify_team', teamName: 'ops', retry: SOON }],
    },
    {
      id: 'repair',
      trigger: { event: 'TaskCompleted', outcome: 'failed' },
      ...windows(),
      cooldownBy: ['session'],
      dedupBy: ['payload.sign'],
      actions: [
        { id: 'agent', type: 'spawn_fallback_agent', agentType: 'endpoint', retry: { ...SOON, maxAttempts: 1_000 } },
        { id: 'hook', type: 'notify_team', teamName: 'hook', retry: SOON },
      ],
    },
    {
      id: 'program',
      trigger: { event: 'StopFailure' },
      ...windows(),
      actions: [{ id: 'run', type: 'spawn_fallback_agent', agentType: 'program', retry: { ...SOON, maxAttempts: 1 } }],
    },
    {
      id: 'trial',
      mode: 'shadow',
      trigger: { event: 'PostToolUseFailure' },
      ...windows(),
      dedupBy: ['payload.sign'],
      actions: [{ id: 'would', type: 'notify_team', teamName: 'hook' }],
    },
  ];
}

/** Comes and goes. */
export function extraRule(random: Random): WrittenRule {
  return {
    id: 'extra',
    trigger: { event: 'TaskCompleted', outcome: 'success' },
    cooldownMs: random.between(1, 4) * 1_000,
    dedupWindowMs: 0,
    actions: [{ id: 'hook', type: 'notify_team', teamName: 'hook', retry: SOON }],
  };
}

/** A valid edit. What tells cooldowns and events apart stays, so that the checks can go by any version. */
export function editedRules(rules: readonly WrittenRule[], random: Random): WrittenRule[] {
  if (random.chance(0.3)) {
    const without = rules.filter(({ id }) => id !== 'extra');
    return without.length < rules.length ? without : [...rules, extraRule(random)];
  }
  const chosen = random.pick(rules).id;
  return rules.map((rule) => (rule.id === chosen ? { ...rule, cooldownMs: random.between(1, 5) * 1_000 } : rule));
}

export const BROKEN_RULES = ['{"rules": [', '{"rules": [{"id": "tell", "triger": {}}]}', 'rules: null', ''] as const;
