// Every name Temporal sees: in its UI, in commands of operators and on the wire. Changing one breaks running workflows.

export const TASK_QUEUE = 'mesh';

/**
 * Actions have queues of their own, so that neither judging nor messages wait when agents and capacity have taken every place that
 * a worker has for them. What the watch asks for is short, and is handed to the worker that asks with the answer to its task.
 */
export const ACTION_QUEUES = ['agents', 'messages'] as const;
export type ActionQueue = (typeof ACTION_QUEUES)[number];

export function actionQueueOf(taskQueue: string, queue: ActionQueue): string {
  return `${taskQueue}-${queue}`;
}

/** The tenant of an event that names none. */
export const DEFAULT_TENANT = 'default';

/** Who reported the event of a remediation that somebody started by hand, with `mesh try`. */
export const TRY_SOURCE = 'mesh-try';

export const WORKFLOW_TYPES = {
  watch: 'watch',
  remediate: 'remediate',
  notice: 'notice',
  lease: 'lease',
  slots: 'slots',
} as const;

export const SIGNALS = {
  events: 'events',
  rearm: 'rearm',
  pause: 'pause',
  resume: 'resume',
  /** From remediations: agents they start, so that what these report is known to be theirs. */
  agents: 'agents',
  /** From deliveries: alerts that are open at a receiver. */
  alerts: 'alerts',
} as const;

export const REMEDIATION_SIGNALS = {
  agent: 'agent',
  /** From the slots of a launcher: an action of this remediation has one now. */
  slot: 'slot',
} as const;

export const LEASE_SIGNALS = { extend: 'extend' } as const;

export const SLOTS_SIGNALS = { acquire: 'acquire', release: 'release' } as const;

export const QUERIES = {
  status: 'status',
  verdicts: 'verdicts',
  judgement: 'judgement',
  /** What is open at a receiver. A delivery asks before it closes an alert. */
  alerts: 'alerts',
  progress: 'progress',
} as const;

/** What a worker says of a query that may have come before a task of the same run, and is to be asked again. */
export const EARLY_QUERY = 'early-query';

/** Search attributes and their kinds; a dev server takes at most ten Keyword ones. */
export const SEARCH_ATTRIBUTES = {
  MeshTenant: 'KEYWORD',
  MeshRule: 'KEYWORD',
  MeshEvent: 'KEYWORD',
  MeshTool: 'KEYWORD',
  MeshSession: 'KEYWORD',
  MeshOutcome: 'KEYWORD',
  MeshSource: 'KEYWORD',
  MeshDepth: 'INT',
} as const;

export type SearchAttributeName = keyof typeof SEARCH_ATTRIBUTES;
