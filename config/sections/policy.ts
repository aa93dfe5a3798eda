import { flag, strict } from '#contract/text/schema-words.js';

/** What actions may do at all, whatever the rules say. */
export const Policy = strict({ allowRemoteSessions: flag().default(true) });
