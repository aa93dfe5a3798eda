import { setTimeout as wait } from 'node:timers/promises';
import type { RemediationDetail } from '#contract/views/remediation.js';
import type { RetriedActivity } from '#contract/views/actions.js';
import { oneLine, visible } from '#contract/text/plain-text.js';
import { MeshError } from '../../errors.js';
import type { Mesh } from '../../mesh.js';
import { CliError } from '../cli-error.js';
import { EXIT_CODES } from '../exit-codes.js';
import { retriedLine, stateWords, whyOf } from '../render/remediation-lines.js';
import type { Screen } from '../terminal/screen.js';
import { meshCommand } from '../terminal/shell-word.js';

const LOOK_EVERY_MS = 500;
/** Looks without a worker that answers before that is worth a word. */
const SILENT_LOOKS = 3;
const MAX_SAID_CHARS = 300;
/** Of one action: a whole team may be out of reach. */
const MAX_RETRIED = 20;

export interface Listener {
  tell(line: string): void;
  /** Where the lines are shown. */
  screen: Screen;
}

/**
 * Waits for the end of a remediation, and tells each thing that becomes of its actions, once. Of what is tried again also why:
 * most often that is a mistake of whoever tries the rule, and would be tried until tomorrow.
 */
export async function followRun(
  mesh: Pick<Mesh, 'remediation'>,
  id: string,
  { tell, screen }: Listener,
  lookEveryMs = LOOK_EVERY_MS,
): Promise<RemediationDetail> {
  const told = new Map<string, string>();
  let silent = 0;
  for (;;) {
    const detail = await look(mesh, id);
    for (const { about, news, line } of [...newsOf(detail), ...retriesOf(detail, screen)]) {
      if (told.get(about) !== news) tell(line);
      told.set(about, news);
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

interface News {
  about: string;
  /** What is told again only when it changes. */
  news: string;
  line: string;
}

/** What it waits for its turn with is no news. */
function newsOf(detail: RemediationDetail): News[] {
  if (!detail.progress) return [];
  return detail.story.actions
    .filter(({ state }) => state !== 'waiting')
    .map((action) => {
      const news = said(stateWords(action), whyOf(action) ?? action.detail);
      return { about: action.name, news, line: `${visible(action.name)}: ${news}` };
    });
}

function said(status: string, why: string | undefined): string {
  return why === undefined ? status : `${status}: ${oneLine(why, MAX_SAID_CHARS)}`;
}

/** The number of the attempt is no news: it changes with each. */
function retriesOf({ retrying = [] }: RemediationDetail, screen: Screen): News[] {
  return retrying.slice(0, MAX_RETRIED).map((one) => {
    const of = one.action === undefined ? '' : `${visible(one.action)}: `;
    return { about: aboutRetry(one), news: one.lastError, line: of + retriedLine(one, Date.now(), screen) };
  });
}

function aboutRetry({ action, delivery, doing }: RetriedActivity): string {
  return JSON.stringify([action, delivery ?? doing]);
}
