import type { ActionPreview } from '#contract/preview.js';
import type { Problem } from '#contract/text/problem.js';
import type { RedactOptions } from '#contract/text/redact/redact.js';
import type { RemediationInput } from '#contract/remediation.js';
import type { LoadedRuleset } from '#rules/match-batch.js';
import type { KnownNames } from '#rules/warnings/index.js';

/** What the command line cannot do by itself, since `client` knows nothing of configuration files. */
export interface Programs {
  runStart?(isQuiet: boolean): Promise<void>;
  runGateway?(): Promise<void>;
  openTrial?(): Promise<RuleTrial>;
  checkConfig?(file: string): Promise<CheckedConfig>;
}

/** What `mesh try` needs. Whatever cannot be had is thrown, with what to do. */
export interface RuleTrial {
  /** The rules of a tenant, from where `MESH_RULES` says. */
  rules(tenant: string): Promise<LoadedRuleset>;
  /** What the configuration calls secret, as far as there is one here. */
  redact(): Promise<RedactOptions>;
  /** What each action would do. Nothing is opened, started or written. */
  preview(remediation: RemediationInput): Promise<ActionPreview[]>;
  /** Starts it on the server. */
  start(remediation: RemediationInput): Promise<void>;
}

export interface CheckedConfig {
  problems: Problem[];
  warnings: Problem[];
  /** How many there are. */
  agents: number;
  teams: number;
  /** Whom rules may name. Nothing when the configuration cannot be used. */
  known?: KnownNames;
}
