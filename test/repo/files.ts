import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { ROOT } from './markdown.js';

/** What a clone would hold: everything git knows or would add. */
export function repositoryFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  return [...new Set(listed.toString().split('\n'))].filter((path) => path !== '' && existsSync(`${ROOT}${path}`));
}
