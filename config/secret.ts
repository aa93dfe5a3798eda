import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { formatPath, type Problem } from '#contract/text/problem.js';

export const SECRET = /^\$\{(env|file):([^}]+)\}$/;

/** A secret as configuration may name it: `${env:NAME}` or `${file:path}`, or, discouraged, the plain value. */
export async function resolveSecret(
  written: string,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const [, kind, name = ''] = SECRET.exec(written) ?? [];
  if (kind === 'env') {
    const value = env[name];
    if (!value) throw new Error(`environment variable ${name} is not set`);
    return value;
  }
  if (kind === 'file') {
    const value = (await readFile(resolve(folder, name), 'utf8')).trim();
    if (!value) throw new Error(`file ${name} is empty`);
    return value;
  }
  if (written.startsWith('${')) throw new Error(`${written} is not understood: write \${env:NAME} or \${file:path}`);
  return written;
}

/** References to secrets within a text, which nothing resolves: they would go out as they are written. */
export function misplacedReferences(config: unknown): Problem[] {
  return textsIn(config, [])
    .filter(({ path, written }) => REFERENCE.test(written) && !SECRET.test(written) && !isArgument(path))
    .map(({ path }) => ({
      path: formatPath(path),
      message: 'holds ${env:…} or ${file:…} where nothing is put in its place',
      hint: 'such a reference must be the whole text: have the variable or the file hold all of it',
    }));
}

const REFERENCE = /\$\{(?:env|file):/;

/** Never a place for secrets, and for the program or its shell it may mean something, such as `${file:-none}`. */
function isArgument([section, , field]: readonly PropertyKey[]): boolean {
  return section === 'agents' && (field === 'command' || field === 'args');
}

interface WrittenText {
  path: readonly PropertyKey[];
  written: string;
}

/** Every text in a part of a configuration, and where it stands. */
export function textsIn(part: unknown, path: readonly PropertyKey[]): WrittenText[] {
  if (typeof part === 'string') return [{ path, written: part }];
  if (Array.isArray(part)) return part.flatMap((one, index) => textsIn(one, [...path, index]));
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => textsIn(value, [...path, key]));
}
