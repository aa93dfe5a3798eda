import { at, type Check } from './check.js';

export const acknowledgedIsJudged: Check = {
  name: 'a: every acknowledged event was judged',
  run({ ledger, gathered, settled, mostUnseen }) {
    const acknowledged = [...ledger.events.values()].filter(({ acknowledgedAt }) => acknowledgedAt !== undefined);
    const states = new Map(settled.unjudged.map(({ id, state }) => [id, state]));
    const unjudged = acknowledged.filter(({ id }) => gathered.of(id).length === 0 && !gathered.forgotten.has(id));
    const forgotten = acknowledged.filter(({ id }) => gathered.of(id).length === 0 && gathered.forgotten.has(id));
    return {
      looked: acknowledged.length,
      violations: [
        ...unjudged.map(
          ({ id, tenant, door, acknowledgedAt = 0 }) =>
            `${tenant} ${id}: acknowledged by ${door} at ${at(acknowledgedAt)}; the watch says: ${states.get(id) ?? 'nothing'}`,
        ),
        ...(forgotten.length > mostUnseen * acknowledged.length
          ? [`nobody saw the verdicts of ${forgotten.length} out of ${acknowledged.length} events: too few to tell`]
          : []),
      ],
      remarks: forgotten.length === 0 ? [] : [`${forgotten.length} were judged when nobody looked: verdicts not seen`],
    };
  },
};
