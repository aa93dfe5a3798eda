import type { MeshEvent } from '#contract/event.js';
import type { FiredFor } from '#contract/notice.js';
import { factsOf, type Telling } from '#contract/facts.js';
import { namesIn } from './works.js';

/**
 * Which incident a rule fires for, in the words by which its messages tell incidents apart. `withEvent` adds the id of the event:
 * there is little room for it, so only where it is needed.
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

/** The longest name that mesh.yaml allows: a longer one names no team. */
const MAX_TEAM_CHARS = 100;
