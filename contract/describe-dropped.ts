import { plural } from './text/words.js';
import type { DroppedNews } from './watch.js';

/** For people, who may have something to do about it. */
export function describeDropped({ messages, alerts }: DroppedNews): string[] {
  return [
    ...(messages > 0 ? [`${plural(messages, 'message')} that waited`] : []),
    ...(alerts > 0 ? [`${plural(alerts, 'open alert')}, which people must resolve at the receiver`] : []),
  ];
}
