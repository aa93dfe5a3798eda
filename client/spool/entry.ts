import { randomBytes } from 'node:crypto';
import { sha256 } from '#contract/hash.js';
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

export const PART = '.part';

/** Names sort by time: microseconds, then who wrote it, then the size of the file. */
export function entryName(atMs: number, bytes: number): string {
  return `${String(Math.round(atMs * 1_000)).padStart(16, '0')}-${process.pid}-${randomBytes(4).toString('hex')}-${bytes}.json`;
}

/** Undefined for what is no entry, such as a half-written one. */
export function readName(name: string): EntryFile | undefined {
  const [, micros, bytes] = /^(\d{16})-\d+-[0-9a-f]{8}-(\d+)\.json$/.exec(name) ?? [];
  return micros === undefined ? undefined : { name, atMs: Number(micros) / 1_000, bytes: Number(bytes) };
}

/** Milliseconds to the microsecond, so that what is written one after the other sorts so; never twice the same. */
export function preciseNow(): number {
  lastMicros = Math.max(Math.floor((performance.timeOrigin + performance.now()) * 1_000), lastMicros + 1);
  return lastMicros / 1_000;
}

export function hashToken(token: string): string {
  return sha256(token);
}

let lastMicros = 0;
