import { readFile } from 'node:fs/promises';
import { eventually } from './eventually.js';

/** One that has ended and was not collected yet has an empty command line. */
export async function isRunning(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')) !== '';
}

/** The process ids that a script writes into a file, once there are so many. */
export function pidsIn(file: string, count: number): Promise<number[]> {
  return eventually(`${count} process ids in ${file}`, async () => {
    // The file is there before they are in it.
    const pids = ((await readFile(file, 'utf8')).match(/\d+/g) ?? []).map(Number);
    return pids.length === count ? pids : undefined;
  });
}
