import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

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
