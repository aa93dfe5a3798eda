import type { Fire } from '#contract/activities.js';
import type { AgentEnd } from '#contract/matched.js';
import type { RecordedEvent } from '#contract/views/events.js';
import type { MissedRule, Verdict } from '#contract/views/verdicts.js';
import type { Learnt } from '#rules/guards/learn.js';

/** What was decided about one event, and all that the ledgers are to learn of it. */
export interface Judged {
  at: number;
  about: About;
  verdicts: Verdict[];
  missed: MissedRule[];
  /** Its id, when a copy of the event is a duplicate from now on. */
  seenId?: string;
  /** For windows and chains. */
  learnt?: Learnt;
  ended?: EndedAgent;
  works?: Success;
  broken?: Failure;
  /** A remediation for each rule that fired. */
  fires: Fire[];
}

/** By what people find the event again. Nobody may have checked it. */
export type About = Omit<RecordedEvent, 'at' | 'verdicts' | 'endings'>;

/** The agent that an event came from has ended. */
export interface EndedAgent {
  end: AgentEnd;
  /** By which it may be known. */
  ids: string[];
  session?: string;
  /** The remediation that the token of the event proves it to be of. */
  parent?: string;
}

/** The task and tool that an event names, and where. */
export interface Work {
  task?: string;
  tool?: string;
  session?: string;
  /** The first event of its chain. */
  root: string;
  /** By the clock of its reporter. */
  occurredAt: number;
}

export interface Success extends Work {
  by: { event: string; eventId: string };
}

export interface Failure extends Work {
  /** The rules that met it, whether they fired or were kept quiet. During a pause none is asked, and any may be meant. */
  rules: Map<string, MetRule> | 'any';
}

export interface MetRule {
  /** The cooldown that the failure falls under. */
  cooldownKey: string;
  /** It fired, and tells a team: an alert may follow. */
  mayOpen: boolean;
}
