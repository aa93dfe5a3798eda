import type { MeshEvent } from '#contract/event.js';
import type { FiredFor } from '#contract/notice.js';
import { factsOf, type Telling } from '#contract/facts.js';
import { namesIn } from './works.js';

/**
 * What a rule fires for, as its messages tell incidents apart. `withEvent`: the id of the event too, which there is little room
 * for, so only where it is needed.
 */
export function firedFor(
  event: Telling & Pick<MeshEvent, 'id'> & Partial<Pick<MeshEvent, 'session'>>,
  withEvent = false,
): FiredFor {
  const { id, session } = event;
  const { task } = namesIn(event);
  const { team } = factsOf(event);
  const isAlone = session === undefined && task === undefined;
  return {
    ...(session !== undefined && { session }),
    ...(task !== undefined && { task }),
    ...((isAlone || withEvent) && { event: id }),
    ...(team !== undefined && team.length <= MAX_TEAM_CHARS && { team }),
  };
}

/** As long as names in mesh.yaml may be: what is longer names no team there is. */
const MAX_TEAM_CHARS = 100;
