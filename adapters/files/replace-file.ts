import type { Stats } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Puts a new content in the place of a file, whole or not at all, and on the disk before it says so. `name` is that of the
 * change: the same change tried again leaves no second file behind. `check` throws when the file must be left alone.
 */
export async function replaceFile(
  file: string,
  content: string,
  name: string,
  old: Stats | undefined,
  check: () => Promise<void>,
): Promise<void> {
  const folder = dirname(file);
  const part = join(folder, `.${basename(file)}.${name}.part`);
  try {
    const handle = await open(part, 'w', 0o600);
    try {
      await handle.writeFile(content);
      await takeOwner(handle, old ?? (await stat(folder)), old);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await check();
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** Whoever could read and write it before should be able to afterwards. Where we may not see to that, the message counts more. */
async function takeOwner(handle: FileHandle, { uid, gid }: Stats, old: Stats | undefined): Promise<void> {
  if (old !== undefined) await handle.chmod(old.mode & 0o777).catch(() => undefined);
  const own = await handle.stat();
  if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid).catch(() => undefined);
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
