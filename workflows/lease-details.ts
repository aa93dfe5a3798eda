import type { ActionReport } from '../contract/activities.js';
import type { Lease } from '../contract/lease.js';
import { code, utc } from '../contract/markdown.js';
import { plural } from '../contract/plural.js';

export type LeaseState =
  | { state: 'kept' }
  | { state: 'releasing'; isEarly: boolean }
  | { state: 'released'; report: ActionReport }
  | { state: 'stuck'; reason: string };

/** What an operator sees beside a lease in the Temporal UI: what is kept, until when and why, and what happens then. */
export function renderLeaseDetails(lease: Lease, extensions: number, state: LeaseState): string {
  const { environment, ensure, effectKey, before } = lease;
  const facts = [
    `- **Environment:** ${code(environment)}, at least ${ensure}`,
    `- **Asked for by:** ${code(effectKey)}${extensions > 1 ? `, and ${plural(extensions - 1, 'time')} before` : ''}`,
    ...(before === undefined ? [] : [`- **Goes back to:** ${before}`]),
  ];
  return [`### ${headline(lease, state)}`, facts.join('\n'), next(lease, state)].join('\n\n');
}

function headline({ untilAt }: Lease, state: LeaseState): string {
  switch (state.state) {
    case 'kept':
      return `Kept warm until ${utc(untilAt)}`;
    case 'releasing':
      return state.isEarly ? 'Being given back: the lease was cancelled' : 'Being given back: the lease has ended';
    case 'released':
      return state.report.status === 'executed' ? 'Given back' : 'Left as it is';
    case 'stuck':
      return 'Not given back';
  }
}

function next({ untilAt }: Lease, state: LeaseState): string {
  switch (state.state) {
    case 'kept':
      return `Next: given back at ${utc(untilAt)}, unless another remediation asks for it before. To give it back now: *Request Cancellation* above.`;
    case 'releasing':
      return 'Next: tried until it works, for a day; attempts that failed are under *Pending Activities*.';
    case 'released':
      return code(state.report.reason ?? state.report.detail ?? 'done');
    case 'stuck':
      return `${code(state.reason)} Somebody must give it back by hand.`;
  }
}
