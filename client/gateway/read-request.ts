import { z } from 'zod';
import { problemsOf } from '#contract/text/problem.js';
import { GatewayProblem } from './gateway-problem.js';
import { NoBody } from './schemas/index.js';

/** Checks the parameters of a path or query, or a small body, by the schema of the route. */
export function readInput<Schema extends z.ZodObject>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new GatewayProblem('invalid-request', undefined, { problems: problemsOf(parsed.error, given) });
}

/** Refuses a body on routes that need only their address. Such a body would otherwise be ignored. */
export function readEmptyBody(body: unknown): void {
  if (body !== undefined) readInput(NoBody, body);
}

/** A query is all text. Where the schema wants a number, a text of digits counts as one. */
export function readQuery<Schema extends z.ZodObject>(schema: Schema, given: object): z.output<Schema> {
  const fields = new Map(Object.entries<z.core.$ZodType>(schema.shape));
  const read = Object.entries(given).map(([name, value]: [string, unknown]) => {
    const isNumber = typeof value === 'string' && /^\d{1,9}$/.test(value) && wantsNumber(fields.get(name));
    return [name, isNumber ? Number(value) : value] as const;
  });
  return readInput(schema, Object.fromEntries(read));
}

function wantsNumber(schema: z.core.$ZodType | undefined): boolean {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  return inner instanceof z.ZodNumber;
}
