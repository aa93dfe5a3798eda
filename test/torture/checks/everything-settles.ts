import { WORKFLOW_TYPES } from '#contract/names.js';
import { at, type Check } from './check.js';

const SLOW_MS = 10_000;

export const everythingSettles: Check = {
  name: 'h: nothing stays open, nothing waits, and the next event is judged at once',
  run({ remediations, runs, statuses, settled }) {
    const open = remediations.filter(({ status }) => status === 'RUNNING');
    const died = runs.filter(({ type, status }) => DEAD[type]?.includes(status));
    const held = [...statuses].filter(([, { held: waiting }]) => waiting !== null);
    const late = settled.probes.filter(({ judgedAfterMs = Infinity }) => judgedAfterMs > SLOW_MS);
    return {
      looked: remediations.length + runs.filter(({ type }) => type in DEAD).length + settled.probes.length,
      violations: [
        ...open.map(
          ({ id, input, wasAborted, pending }) =>
            `${id} is still open${wasAborted ? ', though it was aborted' : ''}; it fired at ${at(input.firedAt)}; ${pending.join('; ') || 'nothing is under way'}`,
        ),
        ...died.map(({ id, runId, status }) => `${id} (run ${runId}) has ended: ${status}`),
        ...held.map(([tenant, status]) => `${tenant}: events are held: ${JSON.stringify(status.held)}`),
        ...settled.probes
          .filter(({ judgedAfterMs }) => judgedAfterMs === undefined)
          .map(({ tenant, id }) => `${tenant} ${id}: the last event was not judged`),
      ],
      remarks: late.flatMap(({ tenant, judgedAfterMs }) =>
        judgedAfterMs === undefined ? [] : [`slow: the last event of ${tenant} was judged after ${judgedAfterMs} ms`],
      ),
    };
  },
};

const NEVER = ['FAILED', 'TERMINATED', 'TIMED_OUT'];
/** How what is not a remediation must not have ended. Only a watch goes on for as long as a run lasts. */
const DEAD: Record<string, readonly string[]> = {
  [WORKFLOW_TYPES.watch]: [...NEVER, 'CANCELLED', 'COMPLETED'],
  [WORKFLOW_TYPES.notice]: [...NEVER, 'CANCELLED'],
  [WORKFLOW_TYPES.slots]: [...NEVER, 'CANCELLED'],
  // Somebody may give it back.
  [WORKFLOW_TYPES.lease]: NEVER,
};
