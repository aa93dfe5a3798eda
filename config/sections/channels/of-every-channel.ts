import { z } from 'zod';
import { text } from '#contract/text/schema-words.js';

const NAME = 'a channel name: up to 60 letters, digits or . _ -';

/** What a channel of any type has: a name, unique in its team and by default its type. */
export function ofEveryChannel<const Type extends string>(type: Type) {
  return {
    type: z.literal(type),
    name: text(NAME)
      .regex(/^[\w.-]{1,60}$/, { error: NAME })
      .default(type),
  };
}
