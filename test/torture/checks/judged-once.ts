import { grouped } from '../evidence/grouped.js';
import { at, type Check } from './check.js';

export const judgedOnce: Check = {
  name: 'e: one event id is judged once',
  run({ gathered }) {
    const rows = gathered.rows().filter(({ code, eventId }) => code !== 'duplicate' && eventId !== '?');
    const byEvent = grouped(rows, ({ tenant, eventId }) => `${tenant} ${eventId}`);
    const twice = [...byEvent].filter(([, ofOne]) => new Set(ofOne.map((row) => row.at)).size > 1);
    return {
      looked: byEvent.size,
      violations: twice.map(([event, ofOne]) => {
        const said = ofOne.map(({ at: when, rule, action, verdict, code }) =>
          [at(when), [rule, action].filter(Boolean).join('/'), code ?? verdict].join(' '),
        );
        return `${event}: ${said.join('; ')}`;
      }),
    };
  },
};
