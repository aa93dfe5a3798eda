import { visible } from '#contract/text/plain-text.js';
import type { LeasePage } from '#contract/views/lease.js';
import type { Screen } from '../terminal/screen.js';
import { clock } from '../terminal/times.js';
import { indent } from './facts.js';
import { retriedLines } from './retried-lines.js';

const SHOWN_LEASES = 5;

/** What is kept warm: which environment, since when, under which id, and what of it fails and is tried again. */
export function leaseLines({ leases, more }: LeasePage, now: number, screen: Screen): string[] {
  // Those that fail first: somebody may have to do something about them.
  const failing = [...leases.filter(({ retrying }) => retrying), ...leases.filter(({ retrying }) => !retrying)];
  const lines = failing
    .slice(0, SHOWN_LEASES)
    .flatMap(({ id, environment, startedAt, retrying = [] }) => [
      `${visible(environment)} since ${clock(startedAt, now)}: ${visible(id)}`,
      ...indent(retriedLines(retrying, now, screen)),
    ]);
  const rest = leases.length - SHOWN_LEASES;
  if (rest <= 0 && !more) return lines;
  return [...lines, screen.paint.dim(`… and ${more ? 'more' : `${rest} more, see --json`}`)];
}
