import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createMailers } from '#adapters/mail/mailers.js';
import { createOutbound } from '#adapters/http/create-outbound.js';
import { type Environment, LINEAGE_KEY_MIN_CHARS, type Settings } from '#contract/settings.js';
import type { ConsoleLog } from './logs.js';
import type { WorkerSetup } from './create-worker.js';
import { makeSources, type Sources } from './make-sources.js';
import { writeAtomically } from '#adapters/files/atomic-write.js';
import { messageOf } from '#contract/text/words.js';
import { ExplainedError } from './explained-error.js';

export interface MakeWorldOptions {
  settings: Settings;
  env: Environment;
  log: Pick<ConsoleLog, 'info' | 'error'>;
  /** Of the server that runs along, if any. */
  temporalUi: string | undefined;
}

/** The outside world as the settings describe it. */
export async function makeWorld({
  settings,
  env,
  log,
  temporalUi,
}: MakeWorldOptions): Promise<WorkerSetup['world'] & Sources> {
  return {
    ...makeSources(settings, log, env),
    mailers: createMailers(mailFolder(settings)),
    outbound: createOutbound(),
    redactKeys: settings.redactKeys,
    lineageKey: await readLineageKey(settings),
    env,
    temporalUi: settings.uiUrl ?? temporalUi,
  };
}

/** Where mails become files. */
export function mailFolder({ home }: Pick<Settings, 'home'>): string {
  return join(home, 'mail');
}

/** The key of `MESH_LINEAGE_KEY`, or else the one in the state folder, which is made when there is none. */
export async function readLineageKey({ lineageKey, home }: Pick<Settings, 'lineageKey' | 'home'>): Promise<string> {
  if (lineageKey !== undefined) return lineageKey;
  const file = join(home, 'lineage.key');
  const key = await readOrMake(file);
  if (key.length >= LINEAGE_KEY_MIN_CHARS) return key;
  throw new ExplainedError(
    `${file} holds no key of at least ${LINEAGE_KEY_MIN_CHARS} characters. Delete it, and a new one is made; agents that run are then ` +
      'recognised by their session only.',
  );
}

async function readOrMake(file: string): Promise<string> {
  try {
    return (await read(file)) ?? (await make(file));
  } catch (error) {
    const why = `${file} cannot be read or made: ${messageOf(error)}`;
    throw new ExplainedError(`${why}\nMend that, or set MESH_LINEAGE_KEY.`, { cause: error });
  }
}

async function read(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Of two workers that start at once, both use the key of the first. */
async function make(file: string): Promise<string> {
  try {
    await writeAtomically(file, `${randomBytes(32).toString('hex')}\n`, { isNew: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return (await readFile(file, 'utf8')).trim();
}
