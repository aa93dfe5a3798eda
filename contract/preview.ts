import type { ActionType } from './actions/index.js';

/** What an action would do, as a dry run shows it: every text is the one that would be sent. */
export interface ActionPreview {
  action: string;
  type: ActionType;
  /** `fails`: it would fail before it has done anything. */
  status: 'ready' | 'skipped' | 'fails';
  /** Why it would be skipped or fail. */
  reason?: string;
  /** When it would run at all, for one with `onlyIf`. */
  when?: string;
  /** The actions before it. How they end a dry run cannot know, so this one is shown as if they had not begun. */
  unknown?: string[];
  steps: PreviewStep[];
  /** What a person should look at before this is needed: somebody unknown, a secret that is not there. */
  warnings: string[];
}

/** One thing that leaves the mesh: an agent, a message, a request. */
export interface PreviewStep {
  /** Such as `launcher default`, `email/alice`, `GET /v1/status`. */
  what: string;
  /** For people, and without secrets. */
  destination: string;
  /** When it would come to that. */
  when?: string;
  /** The step whose parts say the same, but for whom they are meant. */
  like?: string;
  parts: PreviewPart[];
}

export interface PreviewPart {
  /** Such as `prompt`, `subject`, `body`. */
  part: string;
  text: string;
}
