import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { repositoryFiles } from '../repo/files.js';
import { ROOT } from './paths.js';
import { runIn } from './start-in.js';

/** What a clone would hold, and the packages that are installed here. */
export async function copyRepository(folder: string): Promise<void> {
  for (const path of repositoryFiles()) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(join(ROOT, path), join(folder, path));
  }
  await linkPackages(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await runIn(folder, ['git', 'init', '--quiet']);
}

/** One by one, so that nothing that is done to the folder of the copy is done to that of this repository. */
async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(to);
  const names = await readdir(from);
  await Promise.all(
    names.filter((name) => !/^\.vite/.test(name)).map((name) => symlink(join(from, name), join(to, name))),
  );
}
