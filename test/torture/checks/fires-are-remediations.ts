import type { FiredRemediation } from '../evidence/evidence.js';
import type { Gathered } from '../evidence/gathered.js';
import { at, type Check } from './check.js';

export const firesAreRemediations: Check = {
  name: 'b: a remediation has a fire verdict, and a fire verdict has a remediation',
  run({ gathered, remediations }) {
    const existing = new Map(remediations.map((one) => [keyOf(one), one]));
    const fires = gathered.rows().filter(({ verdict }) => verdict === 'fire');
    const fired = new Set(fires.map(keyOf));
    const withoutFire = remediations.filter((one) => !fired.has(keyOf(one)));
    const disowned = withoutFire.filter((one) => isDenied(one, gathered));
    const unseen = withoutFire.filter((one) => !isDenied(one, gathered));
    const missing = fires.filter((row) => !existing.has(keyOf(row)));
    const atAnotherTime = fires.filter((row) => (existing.get(keyOf(row))?.input.firedAt ?? row.at) !== row.at);
    return {
      looked: fires.length + remediations.length,
      violations: [
        ...disowned.map(({ id, input, eventId }) => {
          const rows = gathered
            .of(eventId)
            .map((row) => `${row.rule ?? ''} ${row.code ?? row.verdict} at ${at(row.at)}`);
          return `${id} was started (fired at ${at(input.firedAt)}), but its event was judged: ${rows.join(', ')}`;
        }),
        ...missing.map(
          ({ tenant, eventId, rule, action, at: when }) =>
            `${tenant} ${eventId}: ${rule}/${action} fired at ${at(when)}, and there is no remediation`,
        ),
        ...atAnotherTime.map((row) => {
          const firedAt = existing.get(keyOf(row))?.input.firedAt ?? 0;
          return `${row.tenant} ${row.eventId}: ${row.rule} fired at ${at(row.at)}, and its remediation says ${at(firedAt)}`;
        }),
      ],
      remarks: unseen.length === 0 ? [] : [`${unseen.length} remediations whose verdicts nobody saw`],
    };
  },
};

/** Of an event whose first verdicts had gone when somebody looked, those that are left say nothing about other rules. */
function isDenied({ eventId, rule }: FiredRemediation, gathered: Gathered): boolean {
  return gathered.of(eventId).some((row) => row.code !== 'duplicate' && (row.rule === undefined || row.rule === rule));
}

function keyOf({ tenant, rule, eventId }: { tenant: string; rule?: string; eventId: string }): string {
  return JSON.stringify([tenant, rule, eventId]);
}
