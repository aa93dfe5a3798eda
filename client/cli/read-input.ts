import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { CliError } from './cli-error.js';
import { messageOf } from '#contract/text/words.js';

/** Reads a file, or standard input for `-`. */
export async function readInput(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CliError(code === 'ENOENT' ? `${file}: file not found` : `${file}: cannot be read: ${message}`);
  }
}

/** What people call it in messages. */
export function inputName(file: string): string {
  return file === '-' ? 'standard input' : file;
}

export interface JsonLine {
  /** From 1, as editors count. */
  line: number;
  value: unknown;
}

/** Reads one JSON value, an array of them, or one per line. Every line that is not JSON is named. */
export function parseJsonLines(content: string, name: string): JsonLine[] {
  const trimmed = content.replace(/^\uFEFF/, '').trim();
  if (trimmed === '') return [];
  const whole = tryParse(trimmed);
  if (whole.ok)
    return (Array.isArray(whole.value) ? whole.value : [whole.value]).map((value: unknown) => ({ line: 1, value }));

  const lines = content.split('\n').map((source, index) => ({ source: source.trim(), line: index + 1 }));
  const parsed = lines.filter(({ source }) => source !== '').map(({ source, line }) => ({ line, ...tryParse(source) }));
  const wrong = parsed.flatMap((one) => (one.ok ? [] : [`${name}:${one.line}: not valid JSON: ${one.message}`]));
  if (wrong.length > 0) throw new CliError(wrong.slice(0, 10).join('\n'));
  return parsed.flatMap((one) => (one.ok ? [{ line: one.line, value: one.value }] : []));
}

function tryParse(source: string): { ok: true; value: unknown } | { ok: false; message: string } {
  try {
    return { ok: true, value: JSON.parse(source) };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}
