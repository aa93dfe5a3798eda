import type { VerdictRow } from '../evidence/gathered.js';
import type { Evidence } from '../evidence/evidence.js';
import { at, type Check } from './check.js';

export const nothingIsLost: Check = {
  name: 'b: no firing became an error, unless its rule was taken away before it was started',
  run(evidence) {
    const rows = evidence.gathered.rows();
    const errors = rows.filter(({ code }) => code === 'error');
    const told = ({ tenant, eventId, rule, at: when, reason }: VerdictRow) =>
      `${tenant} ${eventId}: ${rule} at ${at(when)}: ${reason}`;
    return {
      looked: rows.length,
      violations: errors.filter((row) => !wasTakenAway(evidence, row)).map(told),
      remarks: errors.filter((row) => wasTakenAway(evidence, row)).map(told),
    };
  },
};

/** The worker that judged is dead, and the one that starts has never known the rule. */
const STARTED_WITHIN_MS = 60_000;
/** It may have judged by what it had read before, as when it was frozen. */
const READ_BEFORE_MS = 20_000;

/** What the start says of a rule that the worker which starts it does not have, or has with other actions. */
const TAKEN_AWAY = /no longer in the ruleset|no longer has all the actions/;

function wasTakenAway({ rules }: Evidence, { tenant, rule, at: judgedAt, reason = '' }: VerdictRow): boolean {
  if (rule === undefined || !TAKEN_AWAY.test(reason)) return false;
  return rules.some(
    (version) =>
      version.tenant === tenant &&
      version.fromAt >= judgedAt - READ_BEFORE_MS &&
      version.fromAt <= judgedAt + STARTED_WITHIN_MS &&
      !version.rules.some(({ id }) => id === rule),
  );
}
