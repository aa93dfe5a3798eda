import { text } from '#contract/text/schema-words.js';

export const Name = text('a name').max(100, { error: 'at most 100 characters' });
