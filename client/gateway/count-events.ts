import type { GatewayLimits } from './gateway-deps.js';
import { GatewayProblem } from './gateway-problem.js';
import type { Call } from './route.js';

/** Refuses none and too many, before anything is done for each of them. Those are not taken off the limit. */
export function countEvents(count: number, call: Call, { eventsPerRequest }: GatewayLimits): void {
  if (count === 0) throw new GatewayProblem('invalid-event', 'the array is empty: expected at least one event');
  if (count > eventsPerRequest) {
    throw new GatewayProblem('too-large', `at most ${eventsPerRequest} events go in one request, found ${count}`);
  }
  call.countEvents(count);
}
