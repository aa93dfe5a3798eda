import { text, wholeNumber } from '#contract/text/schema-words.js';
import { DEFAULT_PAGE, MAX_PAGE } from '../filters.js';

export const short = (chars: number) => text().max(chars, { error: `at most ${chars} characters` });

/** Which part of a list is asked for. */
export const PAGE_QUERY = {
  limit: wholeNumber(1, MAX_PAGE).describe(`How many. Default: ${DEFAULT_PAGE}.`).optional(),
  page: short(4_000).describe('`nextPage` of the page before.').optional(),
};
