import type { MeshEvent } from '../contract/event.js';
import { UNSEEN } from '../contract/plain-text.js';
import type { Redactor } from './redact.js';
import { payloadJson } from './template.js';
import { untrustedData } from './untrusted-data.js';

// Programs of agents read a file into the conversation, without asking anybody, wherever a prompt names it behind an at sign. A
// rule may do that; what an event says is written so that it names nothing.

/** Text of an event within a prompt. */
export function agentText(text: string): string {
  return text.replaceAll('@', '\\@');
}

/** The payload of an event within a prompt, set apart. */
export function agentPayload(event: MeshEvent, redactor: Redactor | undefined): string {
  return untrustedData(payloadJson(event, redactor, MENTION_OR_UNSEEN));
}

const MENTION_OR_UNSEEN = new RegExp(`@|${UNSEEN.source}`, UNSEEN.flags);
