import { plural } from './text/words.js';
import type { DroppedNews } from './watch.js';

/** For people, who may have something to do about it. */
export function describeDropped({ messages, incidents }: DroppedNews): string[] {
  return [
    ...(messages > 0 ? [`${plural(messages, 'message')} that waited`] : []),
    ...(incidents > 0 ? [`${plural(incidents, 'open incident')}, which people must resolve at the receiver`] : []),
  ];
}
