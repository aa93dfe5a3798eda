import { sha256 } from '#contract/hash.js';
import { readFile, stat } from 'node:fs/promises';
import type { Problem } from '#contract/text/problem.js';

export type Parsed<T> = { ok: true; value: T } | { ok: false; problems: Problem[] };

export type Current<T> =
  | { available: true; value: T; hash: string; problems: Problem[] }
  /** `isAbsent`: there is no such file. */
  | { available: false; isAbsent?: true; problems: Problem[] };

export interface ReadThroughOptions<T> {
  parse(text: string, file: string): Parsed<T>;
  /** Called once for each change of what is in use: a new good version, or problems that keep the old one. */
  onChange?(file: string, current: Current<T>): void;
  now?(): number;
}

/**
 * A file read through on every use: only a changed file is read, only changed content is parsed, and a broken edit leaves
 * the last good version in use, with the problems beside it.
 */
export class ReadThroughFile<T> {
  private current: Current<T> = { available: false, problems: [] };
  private stamp: string | undefined;
  private contentHash: string | undefined;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly file: string,
    private readonly options: ReadThroughOptions<T>,
  ) {}

  async get(): Promise<Current<T>> {
    this.reading ??= this.refresh().finally(() => (this.reading = undefined));
    await this.reading;
    return this.current;
  }

  private async refresh(): Promise<void> {
    try {
      const stamp = await this.stampOf();
      if (stamp !== undefined && stamp === this.stamp) return;
      const text = await readFile(this.file, 'utf8');
      this.stamp = stamp;
      this.take(text);
    } catch (error) {
      this.stamp = undefined;
      this.contentHash = undefined;
      this.keepWith([{ file: this.file, path: '', message: unreadable(error) }], codeOf(error) === 'ENOENT');
    }
  }

  /**
   * Undefined while the file is so young that a second edit could leave every number here unchanged: file systems count
   * time in steps. Until then it is read each time.
   */
  private async stampOf(): Promise<string | undefined> {
    const { mtimeMs, ctimeMs, size, ino } = await stat(this.file);
    const now = this.options.now?.() ?? Date.now();
    return now - ctimeMs < SETTLE_MS ? undefined : [mtimeMs, ctimeMs, size, ino].join(' ');
  }

  private take(text: string): void {
    const hash = sha256(text);
    if (hash === this.contentHash) return;
    this.contentHash = hash;
    const parsed = this.options.parse(text, this.file);
    if (!parsed.ok) return this.keepWith(parsed.problems);
    this.current = { available: true, value: parsed.value, hash: hash.slice(0, 12), problems: [] };
    this.options.onChange?.(this.file, this.current);
  }

  private keepWith(problems: Problem[], isAbsent = false): void {
    if (JSON.stringify(problems) === JSON.stringify(this.current.problems)) return;
    this.current = this.current.available
      ? { ...this.current, problems }
      : { available: false, ...(isAbsent && { isAbsent }), problems };
    this.options.onChange?.(this.file, this.current);
  }
}

const SETTLE_MS = 2_000;

function unreadable(error: unknown): string {
  const code = codeOf(error);
  if (code === 'ENOENT') return 'file not found';
  if (code === 'EISDIR') return 'is a folder, expected a file';
  return `cannot be read: ${(error as Error).message}`;
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
