import { at, type Check } from './check.js';

export const nothingIsLost: Check = {
  name: 'b: no firing became an error',
  run({ gathered }) {
    const rows = gathered.rows();
    return {
      looked: rows.length,
      violations: rows
        .filter(({ code }) => code === 'error')
        .map(
          ({ tenant, eventId, rule, at: when, reason }) => `${tenant} ${eventId}: ${rule} at ${at(when)}: ${reason}`,
        ),
    };
  },
};
