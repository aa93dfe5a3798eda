import type { ConnectionLike } from '@temporalio/client';
import { SEARCH_ATTRIBUTES, type SearchAttributeName } from '#contract/names.js';

/** What the Temporal API calls the kinds of search attributes: `temporal.api.enums.v1.IndexedValueType`. */
const INDEXED_VALUE_TYPES = { KEYWORD: 2, INT: 3 } as const;

type Names = SearchAttributeName[];

/** Names the mesh's search attributes that a namespace lacks. */
export async function missingSearchAttributes(connection: ConnectionLike, namespace: string): Promise<Names> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const present = Object.keys(customAttributes ?? {});
  return (Object.keys(SEARCH_ATTRIBUTES) as Names).filter((name) => !present.includes(name));
}

/** Registers those that are missing and tells which. */
export async function registerSearchAttributes(connection: ConnectionLike, namespace: string): Promise<Names> {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length === 0) return missing;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(missing.map((name) => [name, INDEXED_VALUE_TYPES[SEARCH_ATTRIBUTES[name]]])),
  });
  return missing;
}
