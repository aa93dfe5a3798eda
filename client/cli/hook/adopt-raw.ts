import { readFile, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../../contract/settings.js';
import type { Redactor } from '../../../rules/redact.js';
import type { SpoolEntry } from '../../spool/entry.js';
import { listEntries } from '../../spool/list-entries.js';
import { takeLock } from '../../spool/lock.js';
import { refuseFile } from '../../spool/refuse.js';
import { writeEntry } from '../../spool/write-entry.js';
import { hookEvent } from './hook-event.js';
import { readHookOptions } from './hook-options.js';
import { messageOf } from '../../../contract/message-of.js';

/** What `mesh.mjs` keeps when the compiled hook is not there: everything the hook would have read. */
interface RawInput {
  args: string[];
  env: Environment;
  text: string;
  id: string;
}

/** Makes entries of what came while the mesh was being compiled. */
export async function adoptRaw(spool: string, redactor: Redactor, log: (line: string) => void): Promise<void> {
  const folder = join(spool, 'raw');
  if ((await listEntries(folder)).length === 0) return;
  const lock = await takeLock(spool);
  if (lock === undefined) return;
  try {
    for (const { name, atMs } of await listEntries(folder)) {
      const path = join(folder, name);
      try {
        const { args, env, text, id } = JSON.parse(await readFile(path, 'utf8')) as RawInput;
        const { dialect, tenant } = readHookOptions(args, env);
        const event = hookEvent({ dialect, text, env, tenant, nowMs: atMs, redactor, id }, log);
        await writeEntry(spool, { v: 1, event } satisfies SpoolEntry, atMs);
        await rm(path);
      } catch (error) {
        await rename(path, join(spool, name));
        await refuseFile(spool, name, messageOf(error), log);
      }
    }
    await rmdir(folder).catch(() => undefined);
  } finally {
    await lock.release();
  }
}
