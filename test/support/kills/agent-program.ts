import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAgent } from '../agent-scripts.js';
import { isRunning } from '../processes.js';
import type { FirstManner } from './receivers.js';

/** An agent whose first run does as it is told, and every later one ends well at once. */
export async function writeProgram(folder: string, first: FirstManner | undefined) {
  const overlapsFile = join(folder, 'overlaps.txt');
  const firstRun = first === 'refused' ? 'process.exit(1)' : first ? 'setInterval(() => {}, 1000)' : '';
  const { command, runsFile } = await writeAgent(
    folder,
    `const earlier = readFileSync(${JSON.stringify(join(folder, 'runs.txt'))}, 'utf8').trim().split('\\n').slice(0, -1);
for (const pid of earlier.map((line) => line.split(' ')[1])) {
  if (isThere(pid)) appendFileSync(${JSON.stringify(overlapsFile)}, pid + ' beside ' + process.pid + '\\n');
}
function isThere(pid) {
  try {
    return readFileSync('/proc/' + pid + '/cmdline', 'utf8') !== '';
  } catch {
    return false;
  }
}
if (runs === 1) { ${firstRun} }`,
  );
  await writeFile(overlapsFile, '');
  const runs = () =>
    readFileSync(runsFile, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' '))
      .map(([key = '', pid]) => ({ key, pid: Number(pid) }));
  return {
    command,
    runs,
    /** Runs that began while one before them was still there. */
    overlaps: () => readFileSync(overlapsFile, 'utf8').split('\n').filter(Boolean),
    async running() {
      const pids = runs().map(({ pid }) => pid);
      const isThere = await Promise.all(pids.map(isRunning));
      return pids.filter((_pid, index) => isThere[index]);
    },
  };
}
