import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PART, writeAtomically } from '#adapters/files/atomic-write.js';
import { sha256 } from '#contract/hash.js';
import { messageOf } from '#contract/text/words.js';
import type { EventInput } from '../event-input.js';

/** What a hook could not deliver, in a file of its own. */
export interface SpoolEntry {
  v: 1;
  /** As it was to be posted: with its id and time, secrets taken out. */
  event: EventInput;
  /** Hash of the bearer token it was to be posted with, which says whose event it is. */
  tokenHash?: string;
}

/** What the name of a file says about the entry in it, so that a listing is enough to look after the spool. */
export interface EntryFile {
  name: string;
  atMs: number;
  bytes: number;
}

/** Puts an event on disk. When this resolves, it outlives a crash of the machine; until then there is no entry of it. */
export function writeEntry(folder: string, entry: SpoolEntry, atMs = preciseNow()): Promise<string> {
  const text = JSON.stringify(entry);
  return writeText(folder, text, entryName(atMs, Buffer.byteLength(text)));
}

export async function writeText(folder: string, text: string, name: string): Promise<string> {
  await writeAtomically(join(folder, name), text);
  return name;
}

/** Names sort by time, which is in microseconds. The size of the file is at the end. */
export function entryName(atMs: number, bytes: number): string {
  return `${String(Math.round(atMs * 1_000)).padStart(16, '0')}-${randomBytes(4).toString('hex')}-${bytes}.json`;
}

/** Undefined for what is no entry. */
export function readName(name: string): EntryFile | undefined {
  const [, micros, bytes] = /^(\d{16})-[0-9a-f]{8}-(\d+)\.json$/.exec(name) ?? [];
  return micros === undefined ? undefined : { name, atMs: Number(micros) / 1_000, bytes: Number(bytes) };
}

/** What waits in a folder, oldest first. A folder that is not there holds nothing. */
export async function listEntries(folder: string): Promise<EntryFile[]> {
  return entriesAmong(await namesIn(folder));
}

export function entriesAmong(names: string[]): EntryFile[] {
  return names
    .sort()
    .map(readName)
    .filter((file) => file !== undefined);
}

/** Longer than a hook lives. */
const TORN_AFTER_MS = 60_000;

/** What hooks that were killed while they wrote left. A part that is younger may still be written. */
export function tornAmong(names: string[]): string[] {
  const before = preciseNow() - TORN_AFTER_MS;
  return names.filter((name) => name.endsWith(PART) && Number(/^\.(\d{16})-/.exec(name)?.[1]) / 1_000 <= before);
}

export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

export type ReadEntry =
  | { is: 'entry'; entry: SpoolEntry }
  /** Sent or dropped by another process meanwhile. */
  | { is: 'gone' }
  /** Not an entry, and never will be. */
  | { is: 'broken'; text: string; reason: string }
  /** It cannot be read now, or by this user. */
  | { is: 'closed'; error: unknown };

export async function readEntry(folder: string, name: string): Promise<ReadEntry> {
  try {
    return parseEntry(await readFile(join(folder, name), 'utf8'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? { is: 'gone' } : { is: 'closed', error };
  }
}

function parseEntry(text: string): ReadEntry {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { is: 'broken', text, reason: `not valid JSON: ${messageOf(error)}` };
  }
  const { v, event } = (value ?? {}) as Partial<Record<keyof SpoolEntry, unknown>>;
  const isEntry = v === 1 && typeof event === 'object' && event !== null && !Array.isArray(event);
  return isEntry
    ? { is: 'entry', entry: value as SpoolEntry }
    : { is: 'broken', text, reason: 'not an entry of the spool' };
}

/** Milliseconds to the microsecond, so that what is written one after the other sorts so; never twice the same. */
export function preciseNow(): number {
  lastMicros = Math.max(Math.floor((performance.timeOrigin + performance.now()) * 1_000), lastMicros + 1);
  return lastMicros / 1_000;
}

let lastMicros = 0;

export function hashToken(token: string): string {
  return sha256(token);
}

/** With a token the gateway knows the tenant; so what another token was to report must not go with this one. */
export function mayPost({ tokenHash }: SpoolEntry, token: string | undefined): boolean {
  return tokenHash === undefined || (token !== undefined && tokenHash === hashToken(token));
}

/** Without the gateway nobody knows whose token it was: then the event has to name the tenant itself. */
export function mayStoreStraight({ tokenHash, event }: SpoolEntry): boolean {
  return tokenHash === undefined || event.tenant !== undefined;
}
