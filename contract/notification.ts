import type { AttemptDetails } from './attempt.js';
import type { Outcome } from './event.js';
import type { RetryPlan } from './remediation.js';
import type { QuietWindow } from './views/story.js';

/** What a team is told, and through which channels. Texts in here may be hostile: each channel escapes them its own way. */
export interface NotificationMessage {
  kind: 'remediation' | 'digest' | 'resolved';
  tenant: string;
  rule: string;
  /** When the rule fired, the cooldown ended or the success came. */
  at: number;
  writtenAt: number;
  /** Set when it is sent long after it was written. */
  late?: { writtenAt: number; sentAt: number };
  /** Of the event it is about, when there is one. */
  outcome?: Outcome;
  /** One line. */
  subject: string;
  /** True when no rule gave the subject: it says the same of every event of its kind. */
  isDefaultSubject?: boolean;
  /** One line on how it stands: whether it may be mended, and whether the mesh is still at it. */
  prognosis?: string;
  /** True when the prognosis says that the mesh starts nothing more. */
  prognosisSaysEnd?: true;
  body: string;
  /** The last line of the default body: the payload in one line, of which it is more than `payload` has. */
  payloadLine?: string;
  /** What went wrong, in the words of the event. */
  error?: string;
  /** True for the default body, which says what the facts and the payload say: who shows these may leave it out. */
  bodyRepeatsFacts?: boolean;
  facts: { label: string; value: string }[];
  /** The payload of the event, as JSON. Long, and the least important part. */
  payload?: string;
  /** What the mesh did before this message. */
  did: { action: string; type: string; state: string; text?: string }[];
  /** The actions that come after this message; `onlyIf` says on what that depends. */
  toCome?: { action: string; type: string; onlyIf?: string }[];
  quiet: QuietWindow[];
  links: { text: string; url: string }[];
  /** Ready to paste. One that `ends` something is shown apart from the others; the note says what. */
  commands: { what: string; command: string; note?: string; ends?: true }[];
}

/** A text of a message. `maxBytes` of JSON; `isLong`: cut shorter where many get it; `isAddress`: works only as it stands. */
export interface TextField {
  maxBytes: number;
  isLong?: true;
  isAddress?: true;
}

type HasText<Value> = Value extends string ? true : Value extends object ? HasText<Value[keyof Value]> : false;
/** What is one of a few words of ours is a `code`, and no text. */
type TextsOf<Value> = Value extends string
  ? string extends Value
    ? TextField
    : 'code'
  : Value extends (infer One)[]
    ? TextsOf<One>
    : { [Key in keyof Value as true extends HasText<Value[Key]> ? Key : never]-?: TextsOf<NonNullable<Value[Key]>> };

const NAME = { maxBytes: 80 } as const;
const LINE = { maxBytes: 320 } as const;
const ADDRESS = { maxBytes: 4_000, isAddress: true } as const;
const EXCERPT = { maxBytes: 4_500, isLong: true } as const;

/**
 * Every text that a message may hold: what is secret in it is taken out, and what is too long is cut, by this list. A text
 * without a row does not compile, and should one come all the same, it is treated as `LINE`.
 */
export const TEXT_FIELDS = {
  kind: 'code',
  tenant: ADDRESS,
  rule: ADDRESS,
  outcome: 'code',
  subject: { maxBytes: 1_000 },
  prognosis: { maxBytes: 400 },
  body: { maxBytes: 16 * 1024, isLong: true },
  payloadLine: { maxBytes: 16 * 1024, isLong: true },
  error: EXCERPT,
  facts: { label: NAME, value: LINE },
  payload: EXCERPT,
  did: { action: NAME, type: NAME, state: NAME, text: { maxBytes: 5_000, isLong: true } },
  toCome: { action: NAME, type: NAME, onlyIf: NAME },
  quiet: { by: 'code', actions: NAME, label: LINE, fields: NAME },
  links: { text: NAME, url: ADDRESS },
  commands: { what: NAME, command: ADDRESS, note: { maxBytes: 160 } },
} as const satisfies TextsOf<NotificationMessage>;

export type NotificationDraft =
  /** The note says who was named and cannot be told. */
  | { status: 'skipped'; reason: string; note?: string }
  | {
      status: 'ready';
      message: NotificationMessage;
      deliveries: PlannedDelivery[];
      /** All messages about one incident (rule, and task or session) share this, so that mail clients show one thread. */
      threadKey: string;
      note?: string;
      /** Deliveries are tried again until then. */
      giveUpAfterMs: number;
    };

/** One message through one channel to one recipient, or to a whole team where the channel is the team's. */
export interface PlannedDelivery {
  /** `<channel>/<recipient>`, unique within the action. */
  delivery: string;
  team: string;
  /** Name of the channel within the team; its addresses and secrets are looked up at each attempt. */
  channel: string;
  /** For people: a member, or the team. */
  recipient: string;
  /** When set, an alert is open at the receiver after this, and a later success may close it. */
  alert?: AlertSubject;
  /** When set, this message closes the alert that the receiver knows by this key. */
  closes?: string;
}

export interface DeliveryRequest extends PlannedDelivery {
  effectKey: string;
  threadKey: string;
  message: NotificationMessage;
  timeoutMs: number;
  /** What the rule says of the time between attempts. */
  retry?: RetryPlan;
}

/** What is known of the work that an alert is about. */
export interface AlertSubject {
  tenant: string;
  rule: string;
  remediation: string;
  root: string;
  session?: string;
  task?: string;
  tool?: string;
  /** When the event that began it happened, by the clock of its reporter. */
  occurredAt: number;
}

/** Open at a receiver until its subject works again, or until it is too old. */
export interface OpenAlert extends AlertSubject {
  team: string;
  channel: string;
  /** By which the receiver knows it. */
  key: string;
  /** Its subject, of which a later success closes it: the task, or the tool in its session. */
  resolveOn: 'task' | 'tool';
  openedAt: number;
}

export type DeliveryAnswer =
  | {
      delivered: true;
      /** How, in one line: `mailed through mail.example.com`. */
      detail: string;
      /** There is no mail server, so it was only written to a file of the worker: nobody has received it. */
      isFile?: true;
      /** Open at the receiver from now on, until a success is reported. */
      alert?: Pick<OpenAlert, 'key' | 'resolveOn'>;
    }
  /**
   * `isFinal`: only on proof that trying again cannot help. The reason is one line without secrets. `mayHaveArrived`: the
   * receiver had the whole message and did not say what became of it, and another attempt may be a second copy for people.
   */
  | {
      delivered: false;
      reason: string;
      isFinal: boolean;
      retryAfterMs?: number;
      mayHaveArrived?: true;
    };

/** Of an attempt to deliver: what the next one must know. */
export interface DeliveryDetails extends AttemptDetails {
  /** How many attempts so far may have reached the receiver, who never said so. */
  perhapsArrived?: number;
  /** Why the last attempt that failed did, without secrets. */
  lastError?: string;
}
