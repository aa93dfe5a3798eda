import { constants } from 'node:fs';
import { copyFile, lstat, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse, type ParseError } from 'jsonc-parser';
import { writeAtomically } from '#adapters/files/atomic-write.js';
import { describeJsonError } from '../../json-error.js';
import { CliError } from '../cli-error.js';
import { messageOf } from '#contract/text/words.js';

export interface SettingsFile {
  path: string;
  /** Absent when there is no such file yet. */
  text: string | undefined;
  value: unknown;
}

export async function readSettingsFile(path: string): Promise<SettingsFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { path, text: undefined, value: {} };
    throw new CliError(`${path}: cannot be read: ${message}`);
  }
  const json = text.replace(/^\uFEFF/, '');
  if (json.trim() === '') return { path, text, value: {} };
  const errors: ParseError[] = [];
  const value: unknown = parse(json, errors);
  if (errors.length === 0) return { path, text: json, value };
  throw new CliError(`${path}: not valid JSON: ${describeJsonError(json, { comments: true })}. ${UNCHANGED}`);
}

/** What people are told where a settings file is not as it should be. */
export const UNCHANGED = 'Nothing was changed: mend the file, or name another with --settings.';

/** Replaces the file in one step, with a copy of what was there beside it. Returns the copy's name. */
export async function writeSettingsFile(
  { path, text: before }: SettingsFile,
  text: string,
): Promise<string | undefined> {
  const target = await throughLinks(path);
  const backup = before === undefined ? undefined : await makeBackup(path);
  try {
    await writeAtomically(target, text, { like: before === undefined ? undefined : await stat(target) });
  } catch (error) {
    throw new CliError(`${path}: cannot be written: ${messageOf(error)}`);
  }
  return backup;
}

async function makeBackup(path: string): Promise<string> {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  for (let count = 1; ; count++) {
    const backup = `${path}.backup-${stamp}${count === 1 ? '' : `-${count}`}`;
    try {
      await copyFile(path, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST') throw new CliError(`${path}: no copy could be made, so nothing was changed: ${message}`);
    }
  }
}

/** A settings file is often a link into somebody's dotfiles: the link stays, what it points to changes. */
async function throughLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink() ?? false;
    return isLink ? throughLinks(resolve(dirname(path), await readlink(path))) : path;
  }
}
