import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '#contract/text/words.js';
import { ensureFolder } from '#client/spool/ensure-folder.js';
import { LINEAGE_KEY_MIN_CHARS, type Settings } from '#contract/settings.js';
import { ExplainedError } from './explained-error.js';

/** The key of `MESH_LINEAGE_KEY`, or else the one in the state folder, which is made when there is none. */
export function readLineageKey({ lineageKey, home }: Pick<Settings, 'lineageKey' | 'home'>): string {
  if (lineageKey !== undefined) return lineageKey;
  const file = join(home, 'lineage.key');
  const key = readOrMake(home, file);
  if (key.length >= LINEAGE_KEY_MIN_CHARS) return key;
  throw new ExplainedError(
    `${file} holds no key of at least ${LINEAGE_KEY_MIN_CHARS} characters. Delete it, and a new one is made; agents that run are then ` +
      'recognised by their session only.',
  );
}

function readOrMake(home: string, file: string): string {
  try {
    return read(file) ?? make(home, file);
  } catch (error) {
    const why = `${file} cannot be read or made: ${messageOf(error)}`;
    throw new ExplainedError(`${why}\nMend that, or set MESH_LINEAGE_KEY.`, { cause: error });
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Linked into place whole: of two workers that start at once, both then use the key of the first. */
function make(home: string, file: string): string {
  ensureFolder(home);
  const part = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  writeFileSync(part, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(part, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(part, { force: true });
  }
  return readFileSync(file, 'utf8').trim();
}
