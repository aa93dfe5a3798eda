import type { AgentStory, Why } from './views/story.js';
import type { ActionResult, DeliveryRecord, Doing } from './remediation.js';
import { utc } from './text/markdown.js';
import { plural } from './text/words.js';

// The words for the states of a story, which all that people read has in common.

/** What an action does just now. */
export function wordsOfDoing(doing: Doing): string {
  switch (doing.is) {
    case 'waiting-for-slot':
      return `waits for a free slot of ${doing.launcher}, which runs ${plural(doing.slots, 'agent')} at a time`;
    case 'waiting-to-retry':
      return `waits to try again: ${doing.reason}`;
    case 'waiting-for-end':
      return `${doing.agent} has until ${utc(doing.untilAt)} to end`;
    case 'delivering':
      return `not delivered yet: ${doing.open.join(', ')} (tried until ${utc(doing.untilAt)} at the latest)`;
    case 'writing':
      return 'writes the message';
  }
}

/** Why an action stands as it does. */
export function wordsOfWhy(why: Why): string {
  if (why.code !== 'cut-off') return why.text;
  const end = why.by === 'terminated' ? 'was terminated' : 'ran out of time';
  return why.while === 'waiting'
    ? `not started: the remediation ${end} before`
    : `it ran when the remediation ${end}; what became of it is not known`;
}

/** How an agent stands. */
export const AGENT_WORDS: Record<AgentStory['stands'], string> = {
  'at-work': 'at work',
  'perhaps-started': 'may have been started, its end is not known',
  'end-unknown': 'started, its end is not known',
  success: 'ended well',
  failed: 'failed',
  timeout: 'ran out of time',
};

/** What has become of a message for one recipient; what somebody must look at first. */
export const DELIVERY_WORDS: Record<DeliveryRecord['status'], string> = {
  failed: 'failed',
  aborted: 'aborted',
  skipped: 'skipped',
  written: 'written to a file',
  delivered: 'delivered',
};

export function worstFirst(deliveries: readonly DeliveryRecord[]): DeliveryRecord[] {
  const order = Object.keys(DELIVERY_WORDS);
  return [...deliveries].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
}

/** The message has left the mesh; an error beside it is from an attempt before. */
export function isThrough(status: DeliveryRecord['status']): boolean {
  return status === 'delivered' || status === 'written';
}

/** Until when what an action made ready is there, to be told behind what it did. Somebody else may keep it for longer. */
export function keptUntil({ leaseUntilAt }: Pick<ActionResult, 'leaseUntilAt'>): string {
  return leaseUntilAt === undefined ? '' : `, kept until ${utc(leaseUntilAt)} at least`;
}
