import { EVENT_ID } from '#contract/event.js';
import { isNoticeId, parseRemediationId } from '#contract/ids.js';
import { MeshError } from '../errors.js';
import type { Mesh } from '../mesh.js';
import { CliError } from './cli-error.js';
import { noRemediation } from './no-remediation.js';
import { tenantOptions } from './tenant-option.js';
import { meshCommand } from './terminal/shell-word.js';

/** How many of the latest remediations are searched for an event that is not in the log of the watch any more. */
const SEARCHED_PAGES = 5;
const PAGE = 200;

const RETRIED =
  'remediation/<tenant>/<rule>/<event id>, the id of an event, or digest/… or resolve/… as `npx mesh dead` lists them';

/** The workflow id that is meant by one, or by the id of an event that started one remediation only. */
export async function findRun(mesh: Mesh, run: string, tenant: string, command: string): Promise<string> {
  if (parseRemediationId(run)) return run;
  if (isNoticeId(run) && command === 'retry') return run;
  const instead = noRemediation(run, command);
  if (instead !== undefined) throw new CliError(instead);
  if (!EVENT_ID.test(run)) {
    const expected = command === 'retry' ? RETRIED : 'remediation/<tenant>/<rule>/<event id>, or the id of an event';
    throw new CliError(`${JSON.stringify(run)}: expected ${expected}; see \`npx mesh runs\``);
  }
  const ids = (await startedByLog(mesh, run, tenant)) ?? (await startedByList(mesh, run, tenant));
  const [id, ...others] = ids;
  if (id === undefined) {
    throw new CliError(
      `no remediation of event ${run} is known: ask \`${meshCommand('why', [run], tenantOptions(tenant))}\` what became of it`,
    );
  }
  if (others.length === 0) return id;
  const choices = ids.map((one) => `  ${meshCommand(command, [one])}`);
  throw new CliError(
    [`${ids.length} rules fired for event ${run}: say which remediation is meant`, ...choices].join('\n'),
  );
}

/** The watch knows at once; lists lag a little behind. */
async function startedByLog(mesh: Mesh, eventId: string, tenant: string): Promise<string[] | undefined> {
  try {
    const verdicts = await mesh.verdicts(eventId, tenant);
    const ids = new Set(verdicts.flatMap(({ remediation }) => remediation ?? []));
    return ids.size === 0 ? undefined : [...ids];
  } catch (error) {
    // Without a worker or a watch there is still the list.
    if (error instanceof MeshError) return undefined;
    throw error;
  }
}

async function startedByList(mesh: Mesh, eventId: string, tenant: string): Promise<string[]> {
  const found = new Set<string>();
  let page: string | undefined;
  for (let searched = 0; searched < SEARCHED_PAGES; searched++) {
    const listed = await mesh.remediations({ tenant, limit: PAGE, ...(page !== undefined && { page }) });
    for (const one of listed.remediations) if (one.eventId === eventId) found.add(one.id);
    page = listed.nextPage;
    if (page === undefined) break;
  }
  return [...found];
}
