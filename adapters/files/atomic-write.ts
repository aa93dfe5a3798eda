import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ensureFolder } from './ensure-folder.js';

export interface AtomicWrite {
  /** Names the change: the same change tried again leaves no second part behind. By default each write is a change of its own. */
  change?: string;
  /** Default: readable by its user only. */
  mode?: number;
  /** The file it replaces, or the folder it comes into: whoever could read and write that should be able to afterwards. */
  like?: Stats | undefined;
  /** Looks at what was written before it gets its name. Throws when the file must be left alone. */
  check?(part: string): unknown;
  /** Rejects with EEXIST when there is such a file already. */
  isNew?: boolean;
}

export const PART = '.part';

/** Puts a content in the place of a file, whole or not at all, and on the disk before it says so. */
export async function writeAtomically(
  file: string,
  content: string | Uint8Array,
  { change = ownName(), mode = 0o600, like, check, isNew = false }: AtomicWrite = {},
): Promise<void> {
  const folder = dirname(file);
  const part = join(folder, `.${basename(file)}.${change}${PART}`);
  ensureFolder(folder);
  try {
    await writeDurably(part, content, mode, like);
    await check?.(part);
    if (isNew) {
      await link(part, file);
      await rm(part);
    } else {
      await rename(part, file);
    }
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

function ownName(): string {
  return `${process.pid}-${randomBytes(4).toString('hex')}`;
}

async function writeDurably(part: string, content: string | Uint8Array, mode: number, like?: Stats): Promise<void> {
  const handle = await open(part, 'w', mode);
  try {
    await handle.writeFile(content);
    if (like !== undefined) await takeOwner(handle, like);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Where we may not see to that, the content counts more. */
async function takeOwner(handle: FileHandle, like: Stats): Promise<void> {
  if (like.isFile()) await handle.chmod(like.mode & 0o777).catch(() => undefined);
  const own = await handle.stat();
  if (own.uid !== like.uid || own.gid !== like.gid) await handle.chown(like.uid, like.gid).catch(() => undefined);
}

/** Without this a crash of the machine could bring the old file back. Windows has no such thing. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
