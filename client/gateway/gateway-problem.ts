import { STATUS_CODES } from 'node:http';
import type { Problem } from '#contract/text/problem.js';
import { shortened } from '#contract/text/shorten.js';
import type { Redactor } from '#contract/text/redact/redact.js';
import { PROBLEM_CODES, type ProblemCode } from './problem-codes.js';

export interface ProblemExtras {
  problems?: Problem[];
  /** When there are more than `problems` holds. */
  problemCount?: number;
  /** Ids of the events that Temporal has stored, and of those that it is not known to have. */
  stored?: string[];
  notStored?: string[];
  retryAfterSeconds?: number;
  headers?: Record<string, string>;
}

/** A refusal, thrown anywhere on the way of a request and answered in one place. */
export class GatewayProblem extends Error {
  override readonly name = 'GatewayProblem';
  constructor(
    readonly code: ProblemCode,
    /** A text for people. It must say nothing of the inside. */
    readonly detail: string = PROBLEM_CODES[code].meaning,
    readonly extras: ProblemExtras = {},
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }

  get status(): number {
    return PROBLEM_CODES[this.code].status;
  }

  get title(): string {
    return STATUS_CODES[this.status] ?? 'Error';
  }

  get headers(): Record<string, string> {
    const { retryAfterSeconds, headers } = this.extras;
    return {
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))) }),
      ...headers,
    };
  }

  /** RFC 9457, with `code` as the part that programs look at. */
  toJson(requestId: string, redactor?: Redactor): object {
    const { problems, problemCount = problems?.length, stored, notStored } = this.extras;
    return {
      type: `urn:remediation-mesh:${this.code}`,
      title: this.title,
      status: this.status,
      code: this.code,
      detail: this.detail,
      ...(problems && { problems: shown(problems, redactor), problemCount }),
      ...(stored && { stored }),
      ...(notStored && { notStored }),
      requestId,
    };
  }
}

/** So many problems of one request are shown. The others are only counted. */
export const SHOWN_PROBLEMS = 1_000;
const SHOWN_CHARS = 400;

/**
 * What was found in a body is quoted, and answers end up in logs: so secrets are taken out. And a body of four megabytes can
 * be one misspelt key; the answer to it need not be as long.
 */
function shown(problems: Problem[], redactor: Redactor | undefined): Problem[] {
  const clean = (text: string) => {
    const cut = shortened(text, SHOWN_CHARS);
    return redactor?.text(cut) ?? cut;
  };
  return problems.slice(0, SHOWN_PROBLEMS).map(({ path, message, expected, hint }) => ({
    path: clean(path),
    message: clean(message),
    ...(expected !== undefined && { expected: clean(expected) }),
    ...(hint !== undefined && { hint: clean(hint) }),
  }));
}
