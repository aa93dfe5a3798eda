import type { OutboundAnswer } from './outbound.js';
import { visible } from '#contract/text/plain-text.js';

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

const MAX_CHARS = 200;

/** What a service says of its refusal, in one line: a short text, or the message in its JSON; nothing of pages and dumps. */
function saidIn(text: string): string | undefined {
  const said = messageIn(parseJson(text)) ?? text;
  const line = visible(said.trim().replace(/\s+/g, ' '));
  return line === '' || line.length > MAX_CHARS || /^[<{[]/.test(line) ? undefined : line;
}

const KEYS = ['message', 'reason', 'detail', 'error', 'title'];

function messageIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = new Map<string, unknown>(Object.entries(value));
  const texts = KEYS.map((key) => fields.get(key)).filter((field) => typeof field === 'string');
  return texts.find((field) => field !== '') ?? messageIn(fields.get('error'));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
