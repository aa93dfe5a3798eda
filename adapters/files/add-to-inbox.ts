import { sha256 } from '#contract/hash.js';
import type { Stats } from 'node:fs';
import { lstat, mkdir, readFile, rename, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { writeAtomically } from './atomic-write.js';
import { type Lock, type Patience, takeLock } from './lock.js';
import { type InboxEntry, spliceEntry } from './splice.js';

/** Nobody reads such an inbox any more, and every entry would rewrite all of it. */
const MAX_INBOX_BYTES = 16 * 1024 * 1024;

/** Adds an entry, once however often it is tried, and says in one line what it did. Rejects when it could not. */
export async function addToInbox(
  folder: string[],
  path: string[],
  entry: InboxEntry,
  patience: Patience,
): Promise<string> {
  const file = join(resolve(...folder.map(fromHome)), ...path);
  await mkdir(dirname(file), { recursive: true });
  const lock = await takeLock(`${file}.lock`, patience);
  if (lock === undefined) throw new Error(`${file}.lock is held by another program`);
  try {
    const found = await look(file);
    const content = found === undefined ? '' : await read(file);
    const like = found ?? (await stat(dirname(file)));
    const write = (text: string) =>
      writeAtomically(file, text, { change: digest(entry.id), like, check: () => requireOurs(lock) });
    const spliced = content === undefined ? ({ kind: 'broken' } as const) : spliceEntry(content, entry);
    if (spliced.kind === 'present') return 'it was in the inbox already';
    requireOurs(lock);
    if (spliced.kind === 'added') {
      await write(spliced.content);
      return `written to ${path.join('/')}`;
    }
    const aside = `${file}.broken-${Math.floor(found?.mtimeMs ?? 0)}-${digest(entry.id)}`;
    await rename(file, aside);
    const fresh = spliceEntry('', entry);
    if (fresh.kind === 'added') await write(fresh.content);
    return `written to ${path.join('/')}; what was there is no inbox, and is kept as ${basename(aside)}`;
  } finally {
    lock.release();
  }
}

function requireOurs(lock: Lock): void {
  if (!lock.isOurs()) throw new Error('another program took the inbox over');
}

function fromHome(folder: string): string {
  return folder === '~' || folder.startsWith('~/') ? join(homedir(), folder.slice(1)) : folder;
}

/** A link would be followed out of the folder, and whatever else is no file could hold us up. */
async function look(file: string): Promise<Stats | undefined> {
  const found = await lstat(file).catch(ignoreMissing);
  if (found !== undefined && !found.isFile()) throw new Error(`${file} is not a file`);
  if (found !== undefined && found.size > MAX_INBOX_BYTES) throw new Error(`${file} is larger than 16 MiB`);
  return found;
}

/** Undefined for what is not text. */
async function read(file: string): Promise<string | undefined> {
  const bytes = await readFile(file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function digest(id: string): string {
  return sha256(id).slice(0, 16);
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
