import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Shot } from './screenshots.js';

/** By picture: a hash of the page that it was taken of. */
export type Pictured = Record<string, string>;

const FILE = fileURLToPath(new URL('pictured.json', import.meta.url));

export async function readPictured(): Promise<Pictured> {
  return JSON.parse(await readFile(FILE, 'utf8')) as Pictured;
}

export async function writePictured(shots: Shot[]): Promise<void> {
  await writeFile(FILE, `${JSON.stringify(pagesOf(shots), null, 2)}\n`);
}

export function pagesOf(shots: Shot[]): Pictured {
  return Object.fromEntries(
    shots.map(({ file, html }) => [file, createHash('sha256').update(html).digest('hex')] as const),
  );
}
