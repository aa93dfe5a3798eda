// What every dialect makes of what a runtime sent. Nothing here or below loads zod or a module of Node but hashing: a hook
// has 250 ms for everything.

import type { Outcome } from '#contract/event.js';
import { formatPath, type Problem } from '#contract/text/problem.js';
import { shortened } from '#contract/text/shorten.js';

/** An event as a dialect reads it. Values are checked with the whole event at the door it goes through. */
export interface MappedEvent {
  event: string;
  outcome: Outcome;
  /** Absent when nothing in the input would be the same in a second delivery: the caller makes one. */
  id?: string;
  tenant?: string;
  session?: string;
  agent?: string;
  depth?: number;
  lineage?: { token: string };
  /** Epoch milliseconds or an ISO 8601 text. */
  occurredAt?: number | string;
  source: string;
  payload: Record<string, unknown>;
}

/** `problem` is the first of `problems`. */
export type Mapped = { ok: true; event: MappedEvent } | { ok: false; problem: Problem; problems: Problem[] };

/** As `EVENT_NAME` of the contract, which would bring zod along; a test holds them equal. */
export const MAPPED_EVENT_NAME = /^[A-Za-z][\w.:-]{0,127}$/;
export const MAX_LABEL_CHARS = 200;

export function refused(problem: Problem, ...others: Problem[]): Mapped {
  return { ok: false, problem, problems: [problem, ...others] };
}

/** What is wrong with the value at a key, worded as the problems of the event's schema are. */
export function wrongValue(key: string, value: unknown, expected: string, hint?: string): Problem {
  const path = formatPath([key]);
  const message =
    value === undefined ? `is missing: expected ${expected}` : `expected ${expected}, found ${kindOf(value)}`;
  return { path, message, expected, ...(hint !== undefined && { hint }) };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Names, of which a long one is still a name when it is cut. */
export function label(text: string): string {
  return text.slice(0, MAX_LABEL_CHARS);
}

/** Kinds only for what is no text: the input may hold secrets. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value === '') return 'an empty text';
  if (typeof value === 'string') return JSON.stringify(shortened(value, 60));
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
