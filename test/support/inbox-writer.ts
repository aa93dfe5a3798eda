// A process that writes into an inbox, for tests in which several do so at once. It says that it is ready, and begins when it
// is told to. As `mesh` it is a worker; as `agents` it does what agent teams do themselves: the same lock, but the file is
// written in place.
import { mkdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { addToInbox } from '#adapters/files/add-to-inbox.js';
import type { InboxEntry } from '#adapters/files/splice.js';

export interface InboxWriting {
  as: 'mesh' | 'agents';
  folder: string;
  path: string[];
  /** In this order, each as often as it stands here. */
  ids: string[];
}

const { as, folder, path, ids } = JSON.parse(process.argv[2] ?? '') as InboxWriting;

process.once('message', () => {
  void writeAll().then(() => process.disconnect?.());
});
process.send?.('ready');

async function writeAll(): Promise<void> {
  for (const id of ids) {
    if (as === 'agents') await writeAsAgent(id);
    else await addToInbox([folder], path, entryOf(id), { waitMs: 20_000, signal: new AbortController().signal });
  }
}

function entryOf(id: string): InboxEntry {
  return { id, from: as, text: `text ${id}`, summary: id, timestamp: '2026-01-01T00:00:00.000Z', read: false };
}

async function writeAsAgent(id: string): Promise<void> {
  const file = join(folder, ...path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, '[]', { flag: 'wx' }).catch(() => undefined);
  while (!(await lock(`${file}.lock`))) await wait(5 * Math.random());
  const entries = JSON.parse(await readFile(file, 'utf8')) as unknown[];
  entries.push({ ...entryOf(id), color: 'blue' });
  await writeFile(file, JSON.stringify(entries, null, 2));
  await rmdir(`${file}.lock`);
}

async function lock(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch {
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > 10_000) throw new Error('a lock was left behind');
    return false;
  }
}
