import { EVENT_ID } from '#contract/event.js';
import { isNoticeId, parseLeaseId, parseRemediationId } from '#contract/ids.js';
import { MeshError } from '../errors.js';
import type { Mesh } from '../mesh.js';
import { CliError } from './cli-error.js';
import { tenantOptions } from './tenant-option.js';
import { meshCommand, shellWord } from './terminal/shell-word.js';

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

/** What to do instead, for whoever gives the id of another workflow of the mesh to a command about remediations. */
function noRemediation(id: string, command: string): string | undefined {
  if (isNoticeId(id)) return `${id} is a message of the mesh itself: ${insteadForNotice(id, command)}`;
  if (parseLeaseId(id)) return `${id} is a lease on capacity: ${insteadForLease(id, command)}`;
  return undefined;
}

function insteadForNotice(id: string, command: string): string {
  if (command === 'abort') return `\`${cancel(id)}\` ends it, and who has not got it gets nothing`;
  return 'its page in the Temporal UI shows how it stands, `npx mesh dead` what failed';
}

function insteadForLease(id: string, command: string): string {
  switch (command) {
    case 'abort':
      return `\`${cancel(id)}\` gives the capacity back now; terminating it would not`;
    case 'retry':
      return '`npx mesh dead` says of one that failed who gives the capacity back';
    default:
      return (
        '`npx mesh status` shows since when it runs and what of it fails, its page in the Temporal UI until when it is kept,' +
        ' `npx mesh dead` what was not given back'
      );
  }
}

function cancel(id: string): string {
  return `temporal workflow cancel --workflow-id ${shellWord(id)}`;
}
