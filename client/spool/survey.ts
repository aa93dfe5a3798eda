import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Dropped, droppedFile, reasonFile } from './cap.js';
import { listEntries } from './list-entries.js';
import { refusedFolder } from './refuse.js';

export interface SpoolSurvey {
  folder: string;
  waiting: { count: number; bytes: number; oldestAt?: number };
  refused: { file: string; at: number; reason: string }[];
  dropped: { count: number; bytes: number; last?: Dropped };
}

/** What a person wants to know about a spool. */
export async function surveySpool(folder: string): Promise<SpoolSurvey> {
  const waiting = await listEntries(folder);
  const refused = refusedFolder(folder);
  const dropped = await Promise.all([folder, refused].map(readDropped));
  return {
    folder,
    waiting: {
      count: waiting.length,
      bytes: waiting.reduce((sum, { bytes }) => sum + bytes, 0),
      ...(waiting[0] && { oldestAt: Math.floor(waiting[0].atMs) }),
    },
    refused: await Promise.all((await listEntries(refused)).map((file) => describeRefused(refused, file))),
    dropped: sumOf(dropped.flat()),
  };
}

async function describeRefused(folder: string, { name, atMs }: { name: string; atMs: number }) {
  const file = join(folder, name);
  const reason = (await textOf(reasonFile(file))).trim() || 'no reason was kept';
  return { file, at: Math.floor(atMs), reason };
}

async function readDropped(folder: string): Promise<Dropped[]> {
  const path = droppedFile(folder);
  const lines = `${await textOf(`${path}.1`)}${await textOf(path)}`.split('\n');
  return lines.flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as Dropped];
    } catch {
      // Cut off by a full disk.
      return [];
    }
  });
}

function sumOf(dropped: Dropped[]): SpoolSurvey['dropped'] {
  const last = dropped.sort((a, b) => (a.at < b.at ? -1 : 1)).at(-1);
  return {
    count: dropped.reduce((sum, { count }) => sum + count, 0),
    bytes: dropped.reduce((sum, { bytes }) => sum + bytes, 0),
    ...(last && { last }),
  };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
