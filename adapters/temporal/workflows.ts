import type { StartAnswer } from '#contract/activities.js';
import type { Lease } from '#contract/lease.js';
import type { Notice } from '#contract/notice.js';
import type { OpenAlert } from '#contract/notification.js';
import type { AgentNews, RemediationInput } from '#contract/remediation.js';
import type { SlotRequest } from '#contract/slots.js';
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
   * Asks for one of the slots of a launcher, which all workers share: whoever asks stands in line, and is told by signal. Asking
   * again under the same key changes nothing. The answer is the workflow that keeps them.
   */
  askForSlot(launcher: string, asked: SlotRequest): Promise<string>;
  /** When a run of a workflow was closed, if it is. */
  closedAt(id: string, run: string): Promise<number | undefined>;
  /** Whether a run of a workflow was asked to end, though it may not know of it yet. */
  isCancelRequested(id: string, run: string): Promise<boolean>;
}
