import { isNoticeId, parseLeaseId } from '#contract/ids.js';
import { shellWord } from './terminal/shell-word.js';

/** What to do instead, for whoever gives the id of another workflow of the mesh to a command about remediations. */
export function noRemediation(id: string, command: string): string | undefined {
  if (isNoticeId(id)) return `${id} is a message of the mesh itself: ${insteadForNotice(id, command)}`;
  if (parseLeaseId(id)) return `${id} is a lease on capacity: ${insteadForLease(id, command)}`;
  return undefined;
}

function insteadForNotice(id: string, command: string): string {
  if (command === 'abort') return `\`${cancel(id)}\` ends it, and who has not got it gets nothing`;
  return 'its page in the Temporal UI shows how it stands, `npx mesh dead` what failed';
}

function insteadForLease(id: string, command: string): string {
  switch (command) {
    case 'abort':
      return `\`${cancel(id)}\` gives the capacity back now; terminating it would not`;
    case 'retry':
      return '`npx mesh dead` says of one that failed who gives the capacity back';
    default:
      return (
        '`npx mesh status` shows since when it runs and what of it fails, its page in the Temporal UI until when it is kept,' +
        ' `npx mesh dead` what was not given back'
      );
  }
}

function cancel(id: string): string {
  return `temporal workflow cancel --workflow-id ${shellWord(id)}`;
}
