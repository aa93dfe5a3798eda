import { flag, strict } from '#contract/text/schema-words.js';

/** What actions may do at all. The rules cannot allow more. */
export const Policy = strict({ allowRemoteSessions: flag().default(true) });
