import type { OpenAlert } from '#contract/notification.js';
import type { Failure, Success, Work } from './judged.js';

/** What an alert is about: a task, or a tool in its session. It has one, and stands for nothing else. */
export interface Subject extends Work {
  rule: string;
  resolveOn: OpenAlert['resolveOn'];
  /** The cooldown that its last failure fell under. Unknown of an alert that no firing is known of. */
  cooldownKey?: string;
  /** By which event, when that happened by the clock of its reporter, and when the watch knew. */
  worksAgain?: { by: Success['by']; occurredAt: number; at: number };
}

/** A success that names a tool tells of that tool only, whatever task it worked for. One from before the failure is no news. */
export function succeed(one: Subject, { by, ...success }: Success, now: number): void {
  const isOfOtherTool = success.tool !== undefined && success.tool !== one.tool;
  if (one.worksAgain || isOfOtherTool || !isSameSubject(one, success) || success.occurredAt < one.occurredAt) return;
  one.worksAgain = { by, occurredAt: success.occurredAt, at: now };
}

/** It has failed again, whether a rule fired for that or was kept quiet: a later success is waited for. */
export function fail(one: Subject, { rules, ...failure }: Failure): void {
  const met = rules === 'any' ? undefined : rules.get(one.rule);
  if ((rules !== 'any' && !met) || !isSameSubject(one, failure)) return;
  // Told late: the same has failed after it, or has worked again.
  if (failure.occurredAt < one.occurredAt || failure.occurredAt <= (one.worksAgain?.occurredAt ?? -Infinity)) return;
  delete one.worksAgain;
  one.occurredAt = failure.occurredAt;
  if (failure.tool !== undefined) one.tool = failure.tool;
  if (met) one.cooldownKey = met.cooldownKey;
}

/**
 * A task may be taken up by an agent elsewhere in its chain. Events of a tenant that name no session count as of one: whoever
 * reports a failure so names no session either when it works again.
 */
function isSameSubject(one: Subject, work: Work): boolean {
  const isSameSession = one.session === work.session;
  if (one.resolveOn === 'tool') return one.tool === work.tool && isSameSession;
  return one.task === work.task && (isSameSession || one.root === work.root);
}

export const SUBJECTS = ['task', 'tool'] as const;

export function subjectKey({ rule, session, resolveOn, ...names }: Omit<Subject, 'root' | 'occurredAt'>): string {
  return JSON.stringify([rule, session ?? null, resolveOn, names[resolveOn] ?? null]);
}
