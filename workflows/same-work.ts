// What counts as the same, from wide to narrow (docs/internals/alerts.md). Each answers a question of its own:
//
//   thread     rule, session and task            Which messages belong together? (`rules/guards/fired-for.ts`)
//   alert      team, channel and key             What does a receiver know? Its key is made of the thread.
//   incident   alert, task and tool              What is broken? One alert may stand for several things.
//   success    session or chain, task or tool    What may it be about? Of the two, whichever `resolveOn` names; if it names a
//                                                tool, of that one only.

import type { OpenIncident } from '#contract/notification.js';
import type { NotedSuccess } from './noted-successes.js';

/** What an event tells of: that it has failed, or that it works. */
export interface Work {
  session?: string;
  root?: string;
  task?: string;
  tool?: string;
}

type Named = 'task' | 'tool';

export function alertOf({ team, channel, key }: OpenIncident): string {
  return JSON.stringify([team, channel, key]);
}

export function identityOf({ team, channel, key, task, tool }: OpenIncident): string {
  return JSON.stringify([team, channel, key, task ?? null, tool ?? null]);
}

/** The clocks of two machines may differ by so much. */
export const CLOCKS_DIFFER_MS = 60_000;

/** Whether a success ends an incident. One from before it, which came late, ends nothing. */
export function isAbout(incident: OpenIncident, success: NotedSuccess, clocksDifferMs: number): boolean {
  if (!isSameWork(incident, success, incident.resolveOn) || !isNear(incident, success)) return false;
  if (isOfOtherTool(success, incident)) return false;
  // The clock of a session is taken at its word.
  return success.occurredAt >= incident.occurredAt - (isSameSession(incident, success) ? 0 : clocksDifferMs);
}

/** A tool that works tells of itself only, not of the task that it was used for. */
export function isOfOtherTool(success: Pick<Work, 'tool'>, failure: Work): boolean {
  return success.tool !== undefined && success.tool !== failure.tool;
}

/** Whether a success may be about the same as a failure, for whatever a channel is to resolve on. */
export function isLike(success: Work, failure: Work): boolean {
  return isSameWork(success, failure, ['task', 'tool']) && isNear(success, failure);
}

export function isSameWork(one: Work, other: Work, named: readonly Named[]): boolean {
  return named.some((what) => one[what] !== undefined && one[what] === other[what]);
}

/** Whether both are of one session or one chain. */
export function isNear(one: Work, other: Work): boolean {
  return isSameSession(one, other) || (one.root !== undefined && one.root === other.root);
}

/** Events of a tenant that name no session count as of one: whoever reports a task so names no session when it works again. */
function isSameSession(one: Work, other: Work): boolean {
  return one.session === other.session;
}
