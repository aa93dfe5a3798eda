import { constants } from 'node:fs';
import { copyFile, lstat, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { findNodeAtLocation, type Node, parse, type ParseError, parseTree } from 'jsonc-parser';
import { writeAtomically } from '#adapters/files/atomic-write.js';
import { describeJsonError } from '../../json-error.js';
import { CliError } from '../cli-error.js';
import { messageOf } from '#contract/text/words.js';
import type { SettingsEdit } from '#rules/dialects/dialect.js';

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

/**
 * Gives places in a JSON object other values, and leaves every other character as it is, comments too: people have their own way
 * to lay out a file, and other programs write to it.
 */
export function editSettings(text: string, edits: readonly SettingsEdit[]): string {
  return edits.reduce(edited, text.trim() === '' ? '{}\n' : text);
}

function edited(text: string, { path, value }: SettingsEdit): string {
  const root = parseTree(text);
  if (root === undefined) throw new Error('the settings were no JSON when they were edited');
  const found = findNodeAtLocation(root, path);
  if (found) return spliced(text, found.offset, found.offset + found.length, written(value, path.length, text));

  const depth = path.findIndex((_key, at) => findNodeAtLocation(root, path.slice(0, at + 1)) === undefined);
  const missing = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  const object = depth === 0 ? root : findNodeAtLocation(root, path.slice(0, depth));
  return withProperty(text, object ?? root, path[depth] ?? '', missing, depth + 1);
}

/** Behind the last property of the object. */
function withProperty(text: string, object: Node, key: string, value: unknown, depth: number): string {
  const { lineEnd, indent } = layoutOf(text);
  const last = object.children?.at(-1);
  const end = object.offset + object.length;
  const pair = `${JSON.stringify(key)}:${indent === '' ? '' : ' '}${written(value, depth, text)}`;
  const line = indent === '' ? '' : lineEnd + indent.repeat(depth);
  if (last) return spliced(text, last.offset + last.length, last.offset + last.length, `,${line}${pair}`);
  const close = indent === '' ? '' : lineEnd + indent.repeat(depth - 1);
  // White space alone is no layout; a comment in an empty object stays.
  const inside = text.slice(object.offset + 1, end - 1).trimEnd();
  return spliced(text, object.offset, end, `{${inside}${line}${pair}${close}}`);
}

function written(value: unknown, depth: number, text: string): string {
  const { lineEnd, indent } = layoutOf(text);
  if (indent === '') return JSON.stringify(value);
  return JSON.stringify(value, null, indent).replaceAll('\n', lineEnd + indent.repeat(depth));
}

/** As the first line that is indented; on one line, as long as there is something on it. */
function layoutOf(text: string): { lineEnd: string; indent: string } {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const [, found] = /\n([ \t]+)"/.exec(text) ?? [];
  const isOnOneLine = !text.trim().includes('\n') && !/^\s*\{\s*\}\s*$/.test(text);
  return { lineEnd, indent: found ?? (isOnOneLine ? '' : '  ') };
}

function spliced(text: string, start: number, end: number, piece: string): string {
  return text.slice(0, start) + piece + text.slice(end);
}
