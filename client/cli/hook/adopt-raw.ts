import { readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Environment } from '#contract/settings.js';
import type { Redactor } from '#contract/text/redact/redact.js';
import { hashToken } from '../../spool/entry.js';
import { listEntries } from '../../spool/list-entries.js';
import { takeLock } from '../../spool/lock.js';
import { writeEntry } from '../../spool/write-entry.js';
import { readHookOptions, tokenIn } from './hook-options.js';
import { readHook, refuseInput } from './read-hook.js';

/** What `mesh.mjs` keeps when the compiled hook is not there: everything the hook would have read. */
interface RawInput {
  args: string[];
  env: Environment;
  text: string;
  id: string;
  /** Of `MESH_TOKEN`. Without it the token was that of the state folder, if any. */
  tokenHash?: string;
}

export interface Adoption {
  spool: string;
  redactor: Redactor;
  log(line: string): void;
  /** For somebody who waits: then the rest is for the next one. */
  isOver?(): boolean;
}

/** Makes entries of what came while the mesh was being compiled. */
export async function adoptRaw(adoption: Adoption): Promise<void> {
  const { spool, log, isOver } = adoption;
  const folder = join(spool, 'raw');
  if ((await listEntries(folder)).length === 0) return;
  const lock = await takeLock(spool);
  if (lock === undefined) return;
  try {
    for (const { name, atMs } of await listEntries(folder)) {
      if (isOver?.()) {
        log('raw events wait for the next hook: their time was over');
        return;
      }
      const path = join(folder, name);
      await adopt(adoption, await readFile(path, 'utf8'), atMs);
      await rm(path);
    }
    await rmdir(folder).catch(() => undefined);
  } finally {
    await lock.release();
  }
}

async function adopt({ spool, redactor, log }: Adoption, kept: string, atMs: number): Promise<void> {
  const raw = parseRaw(kept);
  if (raw === undefined) return refuseInput({ spool, redactor, log }, kept, 'it is not what a hook keeps');
  const { args, env, text, id } = raw;
  const { dialect, tenant } = readHookOptions(args, env);
  const event = await readHook({ dialect, text, env, tenant, nowMs: atMs, redactor, id }, { spool, redactor, log });
  if (event === undefined) return;
  const fileToken = tokenIn(dirname(spool), []);
  const tokenHash = raw.tokenHash ?? (fileToken === undefined ? undefined : hashToken(fileToken));
  await writeEntry(spool, { v: 1, event, ...(tokenHash !== undefined && { tokenHash }) }, atMs);
}

function parseRaw(kept: string): RawInput | undefined {
  try {
    const raw = (JSON.parse(kept) ?? {}) as Partial<RawInput>;
    const isRaw = Array.isArray(raw.args) && typeof raw.env === 'object' && typeof raw.text === 'string';
    return isRaw ? (raw as RawInput) : undefined;
  } catch {
    return undefined;
  }
}
