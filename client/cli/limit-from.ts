import { MAX_PAGE } from '../filters.js';
import { CliError } from './cli-error.js';

export function limitFrom(written: string): number {
  const limit = Number(written);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGE) return limit;
  throw new CliError(`--limit: expected a whole number from 1 to ${MAX_PAGE}, found ${JSON.stringify(written)}`);
}
