import type { ActionReport } from '#contract/activities.js';
import type { Lease } from '#contract/lease.js';
import { code, utc } from '#contract/text/markdown.js';

export type LeaseState =
  | { state: 'kept' }
  | { state: 'missing'; reason: string }
  | { state: 'reacquiring' }
  | { state: 'releasing'; because: 'due' | 'cancelled' }
  | { state: 'released'; report: ActionReport }
  | { state: 'stuck'; reason: string };

/** What an operator sees beside a lease in the Temporal UI: what is kept, until when and why, and what happens then. */
export function renderLeaseDetails(lease: Lease, state: LeaseState): string {
  const { environment, ensure, effectKey, restorePoint } = lease;
  const facts = [
    `- **Environment:** ${code(environment)}, at least ${ensure}`,
    `- **Last asked for by:** ${code(effectKey)}`,
    ...(restorePoint ? [`- **Goes back to:** ${restorePoint.originalCount}`] : []),
    ...(state.state === 'missing' ? [`${NOT_REACQUIRED} ${code(state.reason)}`] : []),
  ];
  return [`### ${headline(lease, state)}`, facts.join('\n'), next(lease, state)].join('\n\n');
}

const NOT_REACQUIRED = '- **Could not be re-acquired:** somebody asked for it while it was being given back.';

function headline({ untilAt }: Lease, state: LeaseState): string {
  switch (state.state) {
    case 'kept':
      return `Kept warm until ${utc(untilAt)}`;
    case 'missing':
      return `Kept until ${utc(untilAt)}, but perhaps not warm`;
    case 'reacquiring':
      return `Being re-acquired until ${utc(untilAt)}: somebody asked for it while it was being given back`;
    case 'releasing':
      return `Being given back: the lease ${state.because === 'cancelled' ? 'was cancelled' : 'has ended'}`;
    case 'released':
      return state.report.status === 'executed' ? 'Given back' : 'Left as it is';
    case 'stuck':
      return 'Not given back';
  }
}

function next({ untilAt }: Lease, state: LeaseState): string {
  switch (state.state) {
    case 'kept':
    case 'missing':
    case 'reacquiring':
      return `Next: given back at ${utc(untilAt)}, unless another remediation asks for it before that. To give it back now: *Request Cancellation* above.`;
    case 'releasing':
      return 'Next: tried until it works, for a day; attempts that failed are under *Pending Activities*.';
    case 'released':
      return code(state.report.reason ?? state.report.detail ?? 'done');
    case 'stuck':
      return `${code(state.reason)} Somebody must give it back by hand.`;
  }
}
