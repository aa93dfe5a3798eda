import type { MeshConfig } from '#config/mesh-config.js';
import type { Current } from '#config/read-through.js';
import type { RulesetStore } from '#config/ruleset-store.js';
import type { Workflows } from '#adapters/temporal/workflows.js';
import type { AgentWorkflows } from '#adapters/temporal/agent-workflows.js';
import type { Mailers } from '#adapters/mail/mailers.js';
import type { Outbound } from '#adapters/http/create-outbound.js';

/** The outside world, as the activities see it: every port they reach it through. */
export interface World {
  rulesets: RulesetStore;
  config: { get(): Promise<Current<MeshConfig>> };
  /** Payload keys that are secret, beyond those the configuration names. */
  redactKeys: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  mailers: Mailers;
  outbound: Outbound;
  /** Signs the lineage of agents. */
  lineageKey: string;
  workflows: Workflows;
  agentWorkflows: AgentWorkflows;
  /** Where people reach the Temporal UI, unless the configuration says otherwise. */
  temporalUi: string | undefined;
  /** Where the server is, for commands in messages. */
  temporal: { address: string; namespace: string };
}
