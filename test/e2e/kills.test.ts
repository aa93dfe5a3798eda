import { test } from 'vitest';
import { KILL_POINTS } from '../support/kills/kill-points.js';
import { proveKill } from '../support/kills/prove-kill.js';

// A real worker, ended with SIGKILL at each of the points in docs/internals/kill-points.md, where it stands with four actions at a time: an
// agent that is a program, one that runs elsewhere, a message to two receivers, capacity.
// Side by side, since most of the time goes by until a kill is noticed.

for (const point of KILL_POINTS) {
  test.concurrent(
    `a worker killed when it is ${point.name}: no action lost, none done twice`,
    { timeout: 180_000 },
    (context) => proveKill(point, context),
  );
}
