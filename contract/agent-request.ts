/** What a runtime elsewhere is asked: the body of a POST, or the argument of a workflow. See docs/actions/spawn-fallback-agent.md. */
export interface AgentRequest {
  effectKey: string;
  agentType: string;
  model?: string;
  description: string;
  prompt: string;
  tenant: string;
  /** Chain depth of what this agent reports. */
  depth: number;
  /** The token that proves the depth: to be sent back with every event of this agent. */
  lineage: string;
  /** The first event of the chain. */
  root: string;
  /** A session id for this agent; events that carry it are known to be its. */
  session: string;
  remediation: string;
  rule: string;
  action: string;
  event: { id: string; event: string; outcome: string };
}
