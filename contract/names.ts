// Every name Temporal sees: in its UI, in commands of operators and on the wire. Changing one breaks running workflows.

export const TASK_QUEUE = 'mesh';

/** The tenant of whoever names none. */
export const DEFAULT_TENANT = 'default';

export const WORKFLOW_TYPES = { watch: 'watch', remediate: 'remediate' } as const;

export const SIGNALS = { events: 'events', rearm: 'rearm', pause: 'pause', resume: 'resume' } as const;

export const QUERIES = {
  status: 'status',
  verdicts: 'verdicts',
  judgement: 'judgement',
  progress: 'progress',
} as const;

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
