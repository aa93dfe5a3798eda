import type { AgentRequest } from './agent-request.js';

/** Agents that are workflows of somebody else, on the Temporal server that the mesh runs on. */
export interface AgentWorkflows {
  start(agent: AgentWorkflow): Promise<AgentWorkflowStart>;
  /** Its end, or nothing when the signal is aborted first. */
  result(id: string, signal: AbortSignal): Promise<AgentWorkflowEnd | undefined>;
  /** Asks it to end, and waits a while for that: its end, or nothing when it goes on. */
  cancel(id: string): Promise<AgentWorkflowEnd | undefined>;
}

export interface AgentWorkflow {
  id: string;
  workflowType: string;
  taskQueue: string;
  request: AgentRequest;
  /** One line, for lists in the Temporal UI. */
  summary: string;
}

/** `refused`: by the server, for good. */
export type AgentWorkflowStart = { state: 'started' | 'there-already' } | { state: 'refused'; reason: string };

/** `unreadable`: why the mesh cannot tell what its result is. */
export type AgentWorkflowEnd =
  | { ended: 'completed'; result: unknown; unreadable?: string }
  | { ended: 'failed' | 'cancelled' | 'timeout'; reason: string };
