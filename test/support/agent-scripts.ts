import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** An agent that notes each of its runs, as `<effect key> <pid>`, in a file before it does what `then` says. */
export async function writeAgent(folder: string, then: string): Promise<{ command: string[]; runsFile: string }> {
  const runsFile = join(folder, 'runs.txt');
  const script = join(folder, 'agent.mjs');
  await writeFile(
    script,
    `import { appendFileSync, readFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(runsFile)}, process.env.MESH_EFFECT_KEY + ' ' + process.pid + '\\n');
const runs = readFileSync(${JSON.stringify(runsFile)}, 'utf8').trim().split('\\n').length;
${then}
`,
  );
  await writeFile(runsFile, '');
  return { command: [process.execPath, script], runsFile };
}
