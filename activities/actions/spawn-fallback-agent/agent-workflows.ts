import type { AgentRequest } from './agent-request.js';

/** Agents that are workflows of somebody else, on the Temporal server that the mesh runs on. */
export interface AgentWorkflows {
  start(agent: AgentWorkflow): Promise<AgentWorkflowStart>;
  /** Its end, or nothing when the signal is aborted first. */
  result(id: string, signal: AbortSignal): Promise<AgentWorkflowEnd | undefined>;
  cancel(id: string): Promise<void>;
}

export interface AgentWorkflow {
  id: string;
  workflowType: string;
  taskQueue: string;
  request: AgentRequest;
  /** One line, for lists in the Temporal UI. */
  summary: string;
  /** An operator wants it tried again: one that has failed under this id may run once more. */
  mayRunAgain: boolean;
}

/** `refused`: by the server, for good. */
export type AgentWorkflowStart = { state: 'started' | 'there-already' } | { state: 'refused'; reason: string };

export type AgentWorkflowEnd =
  { ended: 'completed'; result: unknown } | { ended: 'failed' | 'cancelled' | 'timeout'; reason: string };
