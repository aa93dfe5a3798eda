import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';
import { messageOf } from '#contract/text/words.js';

/** Something a person can mend, whose message says how. */
export class ExplainedError extends Error {
  override readonly name = 'ExplainedError';
}

const ELSEWHERE = 'set MESH_HOME to another folder';

/** Why a file of the state folder could not be written, and the way out. */
export function stateTrouble(file: string, error: unknown): ExplainedError {
  const [why, way] = reasonOf(file, error);
  return new ExplainedError(`${file} cannot be written: ${why}.\n${way}.`, { cause: error });
}

function reasonOf(file: string, error: unknown): [why: string, way: string] {
  const there = nearestThere(dirname(resolve(file)));
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return ['the disk is full', `Make room on the disk of ${there.path}, or ${ELSEWHERE}, on a disk with room`];
    case 'EROFS':
      return [`the disk of ${there.path} can only be read`, `To go on, ${ELSEWHERE}`];
    case 'EACCES':
    case 'EPERM':
      return [
        `${there.path} belongs to ${nameOf(there.uid)}, and ${nameOf(userInfo().uid)} may not write there`,
        `Run it as ${nameOf(there.uid)}, let this user write there, or ${ELSEWHERE}`,
      ];
    case 'ENOTDIR':
    case 'EEXIST':
      return [`${there.path} is a file, not a folder`, `Remove it, or ${ELSEWHERE}`];
    case 'EISDIR':
      return ['a folder stands in its place', `Remove that folder, or ${ELSEWHERE}`];
    case 'ENOENT':
      return [`no folder can be made in ${there.path}`, `To go on, ${ELSEWHERE}`];
    case undefined:
    default:
      return [messageOf(error), `Mend that, or ${ELSEWHERE}`];
  }
}

/** The folder itself, or the first above it that is there. */
function nearestThere(path: string): { path: string; uid: number } {
  try {
    return { path, uid: statSync(path).uid };
  } catch {
    const parent = dirname(path);
    return parent === path ? { path, uid: 0 } : nearestThere(parent);
  }
}

/** The names of other users are known to the system alone. */
function nameOf(uid: number): string {
  if (uid === 0) return 'root';
  const me = userInfo();
  return uid === me.uid ? me.username : `the user with id ${uid}`;
}
