import type { RemediationDetail, RemediationSummary } from '#contract/views/remediation.js';
import type { RetriedActivity } from '#contract/views/actions.js';
import { remediationId } from '#contract/ids.js';
import type { SkipCode } from '#contract/verdict.js';
import type { LoggedVerdict } from '#contract/views/verdicts.js';
import type { WatchStatus } from '#contract/watch.js';
import { anEvent } from '#test/support/builders.js';
import { withStory } from '#test/support/fake-mesh.js';

export const NOW = Date.UTC(2026, 0, 31, 3, 12, 9);

/** A watch that has seen nothing; a test names only what it is about. */
export function aStatus(overrides: Partial<WatchStatus> = {}): WatchStatus {
  return {
    tenant: 'default',
    paused: null,
    ruleset: { hash: '2ab217c587c1', source: 'config/rules.yaml', problems: [] },
    held: null,
    counters: { events: 0, fired: 0, skipped: {}, rules: {} },
    guards: { cooldowns: [], dedups: [], live: { cooldowns: 0, dedups: 0 }, evicted: 0, seenIds: 0 },
    chains: [],
    history: { events: 10, runs: 1 },
    ...overrides,
  };
}

type Subject = Partial<Pick<LoggedVerdict, 'at' | 'eventId' | 'event' | 'depth' | 'missed' | 'times' | 'remediation'>>;

const subject = { at: NOW - 180_000, eventId: 'e-1', event: 'PostToolUseFailure', depth: 0 };

export function aFire(rule: string, action: string, overrides: Subject = {}): LoggedVerdict {
  const remediation = remediationId('default', rule, overrides.eventId ?? subject.eventId);
  return { ...subject, verdict: 'fire', rule, action, remediation, ...overrides };
}

export function aSkip(
  code: SkipCode,
  reason: string,
  overrides: Subject & Partial<Extract<LoggedVerdict, { verdict: 'skip' }>> = {},
): LoggedVerdict {
  return { ...subject, verdict: 'skip', code, reason, ...overrides };
}

export function aSummary(overrides: Partial<RemediationSummary> = {}): RemediationSummary {
  const { tenant = 'default', rule = 'retry', eventId = 'e-1' } = overrides;
  return {
    id: remediationId(tenant, rule, eventId),
    runId: 'run-1',
    tenant,
    rule,
    eventId,
    event: 'PostToolUseFailure',
    outcome: 'failed',
    startedAt: NOW - 180_000,
    closedAt: NOW - 168_000,
    ...overrides,
  };
}

export function aDetail(overrides: Partial<RemediationDetail> = {}): RemediationDetail {
  const summary = aSummary(overrides);
  const detail: Omit<RemediationDetail, 'story'> = {
    ...summary,
    progress: {
      outcome: 'failed',
      actions: [
        {
          action: 'agent',
          type: 'spawn_fallback_agent',
          status: 'failed',
          reason: 'Fallback agent ended with exit code 7',
          detail: 'output: one\ntwo',
          attempts: 3,
        },
        { action: 'tell', type: 'notify_team', status: 'executed', detail: 'Team notification sent', attempts: 1 },
      ],
    },
    reported: anEvent({
      id: summary.eventId,
      session: 's-1',
      source: 'cli',
      occurredAt: NOW - 181_000,
      payload: { tool_name: 'Bash', error: 'timeout\nafter 30 s' },
    }),
    actions: ['agent', 'tell'].map((name) => ({
      type: 'notify_team',
      name,
      effectKey: `${summary.id}/${name}`,
      timeoutMs: 1_000,
      retry: { maxAttempts: 3, initialIntervalMs: 100, maxIntervalMs: 1_000 },
    })),
    rulesetHash: '2ab217c587c1',
    ...overrides,
  };
  return withStory(detail);
}

/** Something that failed once, and is due again in 25 seconds. */
export function aRetried(overrides: Partial<RetriedActivity> = {}): RetriedActivity {
  const state = overrides.state ?? 'waiting';
  return {
    doing: 'do it',
    state,
    attempt: 2,
    lastError: 'refused',
    ...(state === 'waiting' && { nextAt: NOW + 25_000 }),
    ...overrides,
  };
}
