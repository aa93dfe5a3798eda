import { at, type Check } from './check.js';

export const recordIsWhole: Check = {
  name: 'i: every verdict that the watch told of is in the record, and so is every acknowledged event',
  run({ ledger, gathered, recorded }) {
    const acknowledged = [...ledger.events.values()].filter(({ acknowledgedAt }) => acknowledgedAt !== undefined);
    const missing = acknowledged.filter(({ id, tenant }) => !recorded.has(`${tenant} ${id}`));
    const rows = gathered.rows().filter(({ eventId, code }) => eventId !== '?' && code !== 'duplicate');
    const other = rows.filter(({ tenant, eventId, ...row }) => {
      const verdicts = recorded.get(`${tenant} ${eventId}`)?.verdicts ?? [];
      return !verdicts.some(
        (one) =>
          one.at === row.at &&
          one.rule === row.rule &&
          one.action === row.action &&
          (one.verdict === 'fire' ? row.verdict === 'fire' : one.code === row.code),
      );
    });
    return {
      looked: acknowledged.length + rows.length,
      violations: [
        ...missing.map(({ id, tenant }) => `${tenant} ${id} was acknowledged, and the record does not know it`),
        ...other.map(
          (row) =>
            `${row.tenant} ${row.eventId}: the watch told of ${row.verdict} ${row.code ?? ''} ${row.rule ?? ''} at ${at(row.at)}; ` +
            `the record has ${JSON.stringify(recorded.get(`${row.tenant} ${row.eventId}`)?.verdicts ?? [])}`,
        ),
      ],
    };
  },
};
