import { defineSearchAttributeKey, type SearchAttributePair, type SearchAttributeType } from '@temporalio/common';
import { SEARCH_ATTRIBUTES, type SearchAttributeName } from '#contract/names.js';

export type SearchAttributeValues = Partial<Record<SearchAttributeName, string | number | undefined>>;

/** In the form the client takes; what has no value is left out. */
export function searchAttributePairs(values: SearchAttributeValues): SearchAttributePair[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const type: SearchAttributeType = SEARCH_ATTRIBUTES[name as SearchAttributeName];
    return [{ key: defineSearchAttributeKey(name, type), value } as SearchAttributePair];
  });
}
