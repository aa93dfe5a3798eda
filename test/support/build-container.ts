import { cp, mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { repositoryFiles } from '../repo/files.js';
import { type Copy, dockerignore, parseCopy, parseDockerfile, type Stage, textsOf } from './dockerfile.js';
import { ROOT } from './paths.js';
import { runIn } from './start-in.js';

export interface Container {
  /** What the container has in its working folder. */
  folder: string;
  /** Steps that take a real container: they touch its system. */
  notDone: string[];
}

/**
 * Does what the Dockerfile says without Docker. Each stage is a folder, and stands for the working folder of that stage: its
 * COPY and RUN lines are carried out there.
 */
export async function buildContainer(folder: string): Promise<Container> {
  const stages = parseDockerfile(await readFile(join(ROOT, 'Dockerfile'), 'utf8'));
  const lets = dockerignore(await readFile(join(ROOT, '.dockerignore'), 'utf8'));
  const context = repositoryFiles().filter(lets);
  const notDone: string[] = [];
  for (const stage of stages) {
    const here = folderOf(folder, stage);
    await mkdir(here, { recursive: true });
    for (const { instruction, text } of stage.steps) {
      if (instruction === 'COPY') {
        const copy = parseCopy(text);
        const from = stages.find(({ name }) => copy.from !== undefined && name === copy.from);
        if (!from) await copyFromRepository(context, copy, here);
        else if (isInWorkdir(from, copy)) await copyFromStage(from, folder, copy, here);
        else notDone.push(`COPY ${text}`);
      } else if (instruction === 'RUN') {
        if (/^(npm|find|rm) /.test(text)) await runIn(here, ['sh', '-c', text]);
        else notDone.push(`RUN ${text}`);
      }
    }
  }
  return { folder: folderOf(folder, stages.at(-1)), notDone };
}

function folderOf(folder: string, stage: Stage | undefined): string {
  return join(folder, stage?.name ?? 'container');
}

function isInWorkdir(stage: Stage, { sources }: Copy): boolean {
  return sources.every((source) => source.startsWith(`${workdirOf(stage)}/`));
}

function workdirOf(stage: Stage): string {
  return textsOf(stage, 'WORKDIR')[0] ?? '/';
}

/** A folder gives what is in it. Files keep their names in a target that ends with a slash. */
async function copyFromRepository(context: string[], { sources, target }: Copy, here: string): Promise<void> {
  for (const source of sources) {
    const paths = context.filter((path) => path === source || path.startsWith(`${source}/`));
    if (paths.length === 0) throw new Error(`COPY finds nothing at ${source}`);
    for (const path of paths) {
      const rest = path === source && target.endsWith('/') ? basename(path) : path.slice(source.length);
      const place = join(here, target, rest);
      await mkdir(dirname(place), { recursive: true });
      await cp(join(ROOT, path), place);
    }
  }
}

/** As hard links: nothing changes in a stage that is done. */
async function copyFromStage(from: Stage, folder: string, { sources, target }: Copy, here: string): Promise<void> {
  for (const source of sources) {
    const inside = source.slice(workdirOf(from).length);
    await runIn(here, ['cp', '-al', join(folderOf(folder, from), inside), join(here, target)]);
  }
}
