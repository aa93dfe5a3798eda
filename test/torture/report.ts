import type { Found } from './checks/check.js';
import type { Tally } from './tally.js';

export interface Report {
  violations: string[];
  text: string;
}

interface Facts {
  scenario: string;
  seed: number;
  lastsMs: number;
  tally: Tally;
  results: (Found & { name: string })[];
}

/** Of the same kind, more would only hide the others. */
const SHOWN_OF_EACH = 5;

export function reportOn({ scenario, seed, lastsMs, tally, results }: Facts): Report {
  const counts = ['events', 'events not taken', 'faults', 'people', 'people in vain', 'looks', 'looks in vain'];
  const troubles = ['killed', 'frozen', 'ended by itself', 'starts in vain', 'moods', 'changes in an ambush'];
  const lines = [
    `${scenario}, seed ${seed}, ${(lastsMs / 60_000).toFixed(1)} minutes`,
    ...[...counts, ...troubles].filter((what) => tally.total(what) > 0).map((what) => lineOf(what, tally)),
    'checks:',
    ...results.flatMap(linesOf),
  ];
  const violations = results.flatMap(({ name, violations: found }) => found.map((one) => `${name}: ${one}`));
  return { violations, text: [...lines, `${violations.length} violations`].join('\n') };
}

function lineOf(what: string, tally: Tally): string {
  const kinds = tally.of(what).map(([kind, times]) => `${kind} ${times}`);
  return `${what}: ${tally.total(what)} (${kinds.join(', ')})`;
}

function linesOf({ name, looked, violations, remarks = [] }: Found & { name: string }): string[] {
  const more = violations.length - SHOWN_OF_EACH;
  const verdict = violations.length === 0 ? 'holds' : `${violations.length} VIOLATIONS`;
  return [
    `  ${name}: ${verdict} (looked at ${looked})`,
    ...violations.slice(0, SHOWN_OF_EACH).map((one) => `      ${one}`),
    ...(more > 0 ? [`      and ${more} more`] : []),
    ...remarks.map((remark) => `      note: ${remark}`),
  ];
}
