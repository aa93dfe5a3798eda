import { appendFile, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type EntryFile, listEntries } from './entries.js';

export interface SpoolLimits {
  bytes: number;
  ageMs: number;
}

export const SPOOL_LIMITS: SpoolLimits = { bytes: 100 * 1024 * 1024, ageMs: 7 * 24 * 60 * 60 * 1_000 };

/** What was dropped, as `dropped.jsonl` keeps it. */
export interface Dropped {
  at: string;
  count: number;
  bytes: number;
  why: string;
}

/** Room made beyond what is needed, so that a full spool is not tidied with every event. */
const TIDY_TO = 0.95;

/**
 * Drops the oldest entries of a folder that holds too much. Loud: it is the only way an event gets lost here. `known` is what
 * the folder holds, oldest first, for a caller that has looked just now.
 */
export async function dropOverCap(
  folder: string,
  log: (line: string) => void,
  nowMs: number,
  limits: SpoolLimits = SPOOL_LIMITS,
  known?: EntryFile[],
): Promise<void> {
  const files = known ?? (await listEntries(folder));
  const tooOld = files.filter(({ atMs }) => atMs < nowMs - limits.ageMs);
  await drop(folder, tooOld, `older than ${limits.ageMs / 86_400_000} days`, nowMs, log);
  const tooMany = oldestOver(files.slice(tooOld.length), limits.bytes);
  await drop(folder, tooMany, `the folder held more than ${limits.bytes} bytes`, nowMs, log);
}

export function droppedFile(folder: string): string {
  return join(folder, 'dropped.jsonl');
}

/** All that was dropped of a folder, oldest first. */
export async function listDropped(folder: string): Promise<Dropped[]> {
  const lines = (await textOf(droppedFile(folder))).split('\n');
  return lines.flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as Dropped];
    } catch {
      // Cut off by a full disk.
      return [];
    }
  });
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function oldestOver(files: EntryFile[], maxBytes: number): EntryFile[] {
  let bytes = sumOf(files);
  if (bytes <= maxBytes) return [];
  const kept = files.findIndex((file) => {
    if (bytes <= maxBytes * TIDY_TO) return true;
    bytes -= file.bytes;
    return false;
  });
  return kept === -1 ? files : files.slice(0, kept);
}

async function drop(
  folder: string,
  files: EntryFile[],
  why: string,
  nowMs: number,
  log: (line: string) => void,
): Promise<void> {
  const gone: EntryFile[] = [];
  for (const file of files) {
    // Another hook may be doing the same; each counts what it took away itself.
    if (await wasRemoved(join(folder, file.name))) gone.push(file);
  }
  if (gone.length === 0) return;
  const dropped: Dropped = { at: new Date(nowMs).toISOString(), count: gone.length, bytes: sumOf(gone), why };
  log(`DROPPED the oldest of ${folder}, ${dropped.count} events of ${dropped.bytes} bytes: ${why}`);
  await appendFile(droppedFile(folder), `${JSON.stringify(dropped)}\n`, { mode: 0o600 });
}

async function wasRemoved(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function sumOf(files: EntryFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
