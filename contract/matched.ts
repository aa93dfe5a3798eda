import type { MeshEvent } from './event.js';
import type { AgentOutcome } from './remediation.js';
import type { MissedRule } from './views/verdicts.js';

/** What judging needs to know of a ruleset: facts, not texts, since this is recorded in the watch's history. */
export interface RulesetFacts {
  hash: string;
  /** The file it was read from. */
  source: string;
  enabled: boolean;
  maxChainDepth: number;
  maxDescendants?: number;
  maxEventAgeMs?: number;
  /** Why a newer version of the file is not in use; empty when it is. */
  problems: string[];
  /** The rules that at least one event of the batch matched. */
  rules: RuleFacts[];
  /** All rules of the file. Absent when the watch knows them already, or there are too many to keep. */
  ruleIds?: string[];
}

export interface RuleFacts {
  id: string;
  mode: 'enforce' | 'shadow';
  maxDepth?: number;
  cooldownMs: number;
  /** Tell the team at the end of a cooldown what it kept quiet. */
  digest?: boolean;
  /** It tells a team when it fires. */
  tells?: true;
  /** Some of whom it tells are told only if the action before ended so or so. */
  tellsOnlyIf?: true;
  actions: ActionFacts[];
}

export interface ActionFacts {
  name: string;
  /** It starts an agent, whose events may fire rules again. */
  spawns?: boolean;
  enabled: boolean;
  dedupWindowMs: number;
}

/** "This rule looks at this event": pure, from event and rule only. */
export interface RuleMatch {
  rule: string;
  cooldownKey: string;
  /** What `cooldownBy` found, for people. */
  cooldownLabel?: string;
  /** One key per action, in the order of the rule. */
  dedupKeys: string[];
}

/** `missed` says in one line why nothing matched; `misses` names the rules that did not look at the event, as far as there is room. */
export type EventMatches =
  | {
      matches: RuleMatch[];
      /** How many more rules match, beyond those that one event may be judged by. */
      left?: number;
      missed: string;
      misses?: MissedRule[];
      lineage?: ProvenLineage;
      /** Set when the agent that it came from has ended. */
      agentEnd?: AgentEnd;
      /** Set on a success: what works again. */
      works?: { task?: string; tool?: string };
    }
  | { error: string };

/** What the token of an event says, or why it is not believed. */
export type ProvenLineage = { depth: number; root: string; parent: string; path: string[] } | { refused: string };

export interface AgentEnd {
  outcome: Exclude<AgentOutcome, 'running'>;
  outputTail?: string;
}

/** Why `mesh.yaml` is not in use as it is now. */
export interface ConfigTrouble {
  /** The file it is read from. */
  source: string;
  problems: string[];
  /** An earlier version stays in use. Else there is none, and actions wait. */
  hasGoodVersion: boolean;
}

export type MatchedBatch =
  | {
      available: true;
      ruleset: RulesetFacts;
      events: EventMatches[];
      /** Judging needs no configuration; what the rules start does. */
      configTrouble?: ConfigTrouble;
    }
  | { available: false; problems: string[] };

export interface MatchRequest {
  tenant: string;
  events: MeshEvent[];
  /** The version of the rules of which the watch knows all ids. */
  knownHash?: string;
}
