import type { StartAnswer } from '#contract/activities.js';
import type { Lease } from '#contract/lease.js';
import type { Notice } from '#contract/notice.js';
import type { OpenAlert } from '#contract/notification.js';
import type { AgentNews, RemediationInput } from '#contract/remediation.js';
import type { SlotAnswer, SlotTicket, SlotRequest } from '#contract/slots.js';
import type { AnnouncedAgent, AlertsQuery } from '#contract/watch.js';

/** Other workflows, over the worker's own connection. */
export interface Workflows {
  startRemediation(plan: RemediationInput): Promise<StartAnswer>;
  /** Whether the server knows a remediation, running or done. */
  isStarted(remediation: string): Promise<boolean>;
  startNotice(notice: Notice): Promise<void>;
  /** Starts the lease on an environment, or extends the one there is. */
  keepLease(lease: Lease): Promise<void>;
  /** Tells the watch of a tenant about agents before they can report anything. */
  tellWatchOfAgents(tenant: string, agents: AnnouncedAgent[]): Promise<void>;
  tellWatchOfAlert(tenant: string, alert: OpenAlert): Promise<void>;
  /** Whether the watch knows the alert as open: then it is not to be closed. */
  isAlertOpen(tenant: string, alert: AlertsQuery): Promise<boolean>;
  tellRemediation(id: string, news: AgentNews): Promise<void>;
  /** The notify_team actions of a remediation that ran. Nothing when the server knows it no more. */
  toldBy(id: string): Promise<string[] | undefined>;
  /**
   * Takes one of the slots of a launcher, which all workers share, or a place in line. Taking it again under the same key
   * changes nothing. Rejects when asking again cannot help.
   */
  takeSlot(launcher: string, asked: SlotRequest, signal: AbortSignal): Promise<SlotAnswer | NoSlotAnswer>;
  giveBackSlot(slot: SlotTicket): Promise<void>;
  /** When a run of a workflow was closed, if it is. */
  closedAt(id: string, run: string): Promise<number | undefined>;
  /** Whether a run of a workflow was asked to end, though it may not know of it yet. */
  isCancelRequested(id: string, run: string): Promise<boolean>;
}

/** Nobody has answered in time, or the question was given up. It may still be on its way, and be granted to nobody. */
export interface NoSlotAnswer {
  state: 'unanswered';
  reason: string;
}
