import type { OutboundAnswer } from './outbound.js';
import { saidIn } from './said-in.js';

export type StatusVerdict = { ok: true } | { ok: false; reason: string; isFinal: boolean; retryAfterMs?: number };

type Answered = Pick<Extract<OutboundAnswer, { kind: 'answered' }>, 'status' | 'headers' | 'text'>;

/** Too slow, too early, too much. Only these refusals are about the moment. */
const LATER = [408, 425, 429];

/**
 * 2xx is done, 5xx may be tried again; anything else stays as it is, however often it is tried, but for what the receiver says
 * is about the moment too (`alsoLater`).
 */
export function judgeStatus(
  { status, headers, text }: Answered,
  nowMs: number,
  alsoLater: readonly number[] = [],
): StatusVerdict {
  if (status >= 200 && status <= 299) return { ok: true };
  const isFinal = status < 500 && ![...LATER, ...alsoLater].includes(status);
  const said = saidIn(text);
  const retryAfterMs = isFinal ? undefined : readRetryAfter(headers['retry-after'], nowMs);
  return {
    ok: false,
    reason: said === undefined ? `answered ${status}` : `answered ${status}: ${said}`,
    isFinal,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

const MAX_RETRY_AFTER_MS = 3_600_000;

/** Seconds, or a date in one of the forms of HTTP. Date.parse alone would read a year into almost anything. */
function readRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const written = header?.trim() ?? '';
  const ms = SECONDS.test(written)
    ? Number(written) * 1_000
    : DATE.test(written)
      ? Date.parse(written.endsWith('GMT') ? written : `${written} GMT`) - nowMs
      : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(Math.ceil(ms), 0), MAX_RETRY_AFTER_MS);
}

const SECONDS = /^\d+(\.\d+)?$/;
const DATE = /^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d( \d{4}| GMT)?$/;
