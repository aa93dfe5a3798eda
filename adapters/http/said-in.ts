import { visible } from '#contract/text/plain-text.js';

const MAX_CHARS = 200;

/** What a service says of its refusal, in one line: a short text, or the message in its JSON; nothing of pages and dumps. */
export function saidIn(text: string): string | undefined {
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
