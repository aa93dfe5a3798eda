import type { MeshEvent } from '#contract/event.js';
import type { Problem } from '#contract/text/problem.js';
import { NotStoredError } from '../errors.js';
import { parseEvents } from '../parse-events.js';
import type { EventDefaults } from '../event-input.js';
import { GatewayProblem } from './gateway-problem.js';
import type { SentEvents } from './read-events.js';
import type { Call, RouteWorld } from './route.js';

/** Checks events that are counted, all or nothing, and stores them. Returns when Temporal has them. */
export async function takeEvents(
  sent: SentEvents,
  call: Call,
  world: RouteWorld,
  defaults: Partial<EventDefaults> = {},
): Promise<MeshEvent[]> {
  const { inputs, isArray, placeOf } = sent;
  const placed = (problem: Problem) => ({ ...problem, path: placeIn(problem.path, placeOf) });
  const { tenant } = call.principal;
  requireOwnTenant(inputs, tenant, call.policy.access.isOpen);
  const crowded = inputs.flatMap((input, index) => crowdedFields(input, isArray ? `[${index}]` : ''));
  if (crowded.length > 0) throw new GatewayProblem('invalid-event', undefined, { problems: crowded.map(placed) });
  const parsed = parseEvents(
    isArray ? inputs : inputs[0],
    { source: 'gateway', ...defaults, now: world.now(), makeId: world.makeId, tenant },
    call.policy.redactor,
  );
  if (!parsed.ok) throw new GatewayProblem('invalid-event', undefined, { problems: parsed.problems.map(placed) });
  const events = parsed.events.map((event): MeshEvent => ({ ...event, requestId: call.requestId }));
  try {
    const tooLate = () =>
      new NotStoredError(
        'unreachable',
        events.map(({ id }) => id),
        [],
      );
    await within(world.limits.storeWithinMs, world.mesh.send(events), tooLate);
    world.metrics.countAccepted(tenant, events.length);
    return events;
  } catch (error) {
    if (error instanceof NotStoredError) world.metrics.countAccepted(tenant, error.storedIds.length);
    throw error;
  }
}

/** Waits no longer than that. The work itself goes on. */
async function within<T>(ms: number, work: Promise<T>, tooLate: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(tooLate()), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** In an array, each path begins with the place of its event. */
function placeIn(path: string, placeOf: SentEvents['placeOf']): string {
  const [index = ''] = /^\[\d+\]\.?/.exec(path) ?? [];
  return index + placeOf(path.slice(index.length));
}

/** A token reports for its own tenant. An event of another one is refused and not corrected: its sender means that one. */
function requireOwnTenant(inputs: unknown[], tenant: string, isOpen: boolean): void {
  const foreign = inputs.some((input) => {
    const named = typeof input === 'object' && input !== null && 'tenant' in input ? input.tenant : undefined;
    return typeof named === 'string' && named !== tenant;
  });
  if (!foreign) return;
  const who = isOpen ? 'without tokens this gateway takes events' : 'this token reports';
  throw new GatewayProblem('forbidden', `${who} of tenant ${tenant} only`);
}

/** An event has a dozen fields. Of a hundred thousand, to name each one that is wrong would keep everybody waiting. */
const MAX_FIELDS = 100;

function crowdedFields(input: unknown, place: string): Problem[] {
  const { lineage } = (input ?? {}) as { lineage?: unknown };
  const parts = [
    { path: place, value: input },
    { path: place === '' ? 'lineage' : `${place}.lineage`, value: lineage },
  ];
  return parts.flatMap(({ path, value }) => {
    const count = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
    if (count <= MAX_FIELDS) return [];
    return [
      { path, message: `has ${count} fields`, expected: `at most ${MAX_FIELDS}`, hint: 'data goes into `payload`' },
    ];
  });
}
