import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startIn } from './start-in.js';

/** A block of a page that changes a repository: a whole new file, or an edit as `git apply` takes it. */
export interface PageBlock {
  kind: 'file' | 'edit';
  /** Of the file it is about. */
  path: string;
  /** Where it begins, such as `docs/page.md:12`. */
  at: string;
  text: string;
}

/** Blocks of commands and examples are left out. Any other one is applied, so that there is none that nobody tries. */
export function pageBlocks(page: string, markdown: string): PageBlock[] {
  return [...markdown.matchAll(FENCED)].flatMap((match): PageBlock[] => {
    const [, , language = '', text = ''] = match;
    const before = markdown.slice(0, match.index);
    const at = `${page}:${before.split('\n').length}`;
    if (language === 'diff') {
      const [, path] = /^\+\+\+ b\/(.+)$/m.exec(text) ?? [];
      if (path === undefined) throw new Error(`${at}: an edit that does not say of which file`);
      return [{ kind: 'edit', path, at, text }];
    }
    const [, path] = NEW_FILE.exec(before) ?? [];
    if (path !== undefined) return [{ kind: 'file', path, at, text }];
    if (EXAMPLES.includes(language)) return [];
    throw new Error(`${at}: a block without "New file: **<path>**" before it`);
  });
}

/** Ends with as many backticks as it began with: a longer fence holds shorter ones. */
const FENCED = /^(`{3,})(\w*)\n([\s\S]*?)^\1$/gm;
const NEW_FILE = /(?:^|\n)New file: \*\*([^*]+)\*\*\n+$/;
const EXAMPLES = ['sh', 'yaml', 'json'];

/** Does to the repository in the folder what the block says, or tells why that cannot be done any more. */
export async function applyBlock(folder: string, { kind, path, at, text }: PageBlock): Promise<void> {
  const file = join(folder, path);
  if (kind === 'file') {
    if (existsSync(file)) throw new Error(`${at}: ${path} is to be a new file, and is there already`);
    await mkdir(dirname(file), { recursive: true });
    return writeFile(file, text);
  }
  const patch = join(folder, '.git', 'page.diff');
  await writeFile(patch, text);
  const { code, stderr } = await startIn(folder, ['git', 'apply', '--ignore-whitespace', patch]).finished;
  if (code !== 0) throw new Error(`${at}: the edit of ${path} does not apply any more. git says:\n${stderr}`);
}
