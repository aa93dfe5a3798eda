import { nearest } from './nearest.js';

/** The hint for a name that is not there: the one most likely meant, or what else there is to say. */
export function didYouMean(name: string, there: readonly string[], otherwise: string): string {
  const guess = nearest(name, there);
  return guess === undefined ? otherwise : `did you mean ${JSON.stringify(guess)}?`;
}
