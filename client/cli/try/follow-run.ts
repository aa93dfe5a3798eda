import { setTimeout as wait } from 'node:timers/promises';
import { visible } from '../../../contract/plain-text.js';
import { MeshError } from '../../errors.js';
import type { Mesh } from '../../mesh.js';
import type { RemediationDetail } from '../../remediation-views.js';
import { CliError } from '../cli-error.js';
import { EXIT_CODES } from '../exit-codes.js';
import { oneLine } from '../terminal/one-line.js';
import { meshCommand } from '../terminal/shell-word.js';

const LOOK_EVERY_MS = 500;
/** Looks without a worker that answers before that is worth a word. */
const SILENT_LOOKS = 3;
const MAX_SAID_CHARS = 300;

/** Waits for the end of a remediation, and tells each thing that becomes of its actions, once. */
export async function followRun(
  mesh: Pick<Mesh, 'remediation'>,
  id: string,
  tell: (line: string) => void,
  lookEveryMs = LOOK_EVERY_MS,
): Promise<RemediationDetail> {
  const told = new Map<string, string>();
  let silent = 0;
  for (;;) {
    const detail = await look(mesh, id);
    for (const [action, line] of newsOf(detail)) {
      if (told.get(action) !== line) tell(`${visible(action)}: ${line}`);
      told.set(action, line);
    }
    if (detail.outcome !== 'running') return detail;
    silent = detail.progress ? 0 : silent + 1;
    if (silent === SILENT_LOOKS) tell('No worker answers. It goes on when one runs: start one with `npm start`.');
    await wait(lookEveryMs);
  }
}

async function look(mesh: Pick<Mesh, 'remediation'>, id: string): Promise<RemediationDetail> {
  try {
    return await mesh.remediation(id);
  } catch (error) {
    if (!(error instanceof MeshError) || error.code !== 'unreachable') throw error;
    const message = `${error.message}. It was started; to see how it stands: ${meshCommand('show', [id])}`;
    throw new CliError(message, EXIT_CODES.unreachable, { cause: error });
  }
}

/** What it waits for its turn with is no news. */
function newsOf({ progress }: RemediationDetail): [action: string, line: string][] {
  return (progress?.actions ?? []).flatMap((state): [string, string][] => {
    if ('attempts' in state) return [[state.action, said(state.status, state.reason ?? state.detail)]];
    return state.status === 'waiting' ? [] : [[state.action, said(state.status, state.note)]];
  });
}

function said(status: string, why: string | undefined): string {
  return why === undefined ? status : `${status}: ${oneLine(why, MAX_SAID_CHARS)}`;
}
