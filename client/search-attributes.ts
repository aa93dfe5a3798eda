import { type ConnectionLike, isGrpcServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { SEARCH_ATTRIBUTES, type SearchAttributeName } from '#contract/names.js';

/** What the Temporal API calls the kinds of search attributes: `temporal.api.enums.v1.IndexedValueType`. */
const INDEXED_VALUE_TYPES = { KEYWORD: 2, INT: 3 } as const;

type Names = SearchAttributeName[];

/** Names the mesh's search attributes that a namespace lacks. */
export async function missingSearchAttributes(connection: ConnectionLike, namespace: string): Promise<Names> {
  const { customAttributes } = await connection.operatorService
    .listSearchAttributes({ namespace })
    .catch(asKnown(namespace));
  const present = Object.keys(customAttributes ?? {});
  return (Object.keys(SEARCH_ATTRIBUTES) as Names).filter((name) => !present.includes(name));
}

const NOT_FOUND = 5;

/** The client names this error for calls of its own only. */
function asKnown(namespace: string) {
  return (error: unknown): never => {
    throw isGrpcServiceError(error) && Number(error.code) === NOT_FOUND ? new NamespaceNotFoundError(namespace) : error;
  };
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
