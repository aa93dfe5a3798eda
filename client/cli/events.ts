import type { Command } from 'commander';
import { DEFAULT_TENANT } from '#contract/names.js';
import { DEFAULT_PAGE, MAX_PAGE } from '../filters.js';
import { addEventOptions, type EventOptions, filterFrom, writtenFilter } from './event-options.js';
import { withRecord } from './open-record.js';
import { print, printJson } from './print.js';
import { renderEvents } from './render/events.js';
import { renderSections } from './render/facts.js';
import { limitFrom } from './runs.js';
import { TENANT_OPTION, tenantOptions } from './tenant-option.js';
import { screenOf } from './terminal/screen.js';
import { meshCommand } from './terminal/shell-word.js';

interface EventsOptions extends EventOptions {
  limit?: string;
  page?: string;
  json?: boolean;
}

export function addEventsCommand(program: Command): void {
  addEventOptions(program.command('events'))
    .description('list events that were judged, the last first: what fired, what did not, and why not')
    .option('--since <when>', 'only those judged since, such as 30m, 2h, 7d or 2026-11-20T03:07:00Z')
    .option('--limit <n>', `how many, up to ${MAX_PAGE} (default: ${DEFAULT_PAGE})`)
    .option('--page <token>', 'go on where the last list ended; it says how')
    .option(...TENANT_OPTION)
    .option('--json', 'print {"events": […], "nextPage": "…"}')
    .action(listEvents);
}

async function listEvents(options: EventsOptions): Promise<void> {
  const { limit, page } = options;
  const now = Date.now();
  const filter = {
    ...filterFrom(options, now),
    ...(limit !== undefined && { limit: limitFrom(limit) }),
    ...(page !== undefined && { page }),
  };
  const found = await withRecord((record) => record.list(filter));
  if (options.json) return printJson(found);
  const screen = screenOf(process.stdout, process.env);
  const tenant = filter.tenant ?? DEFAULT_TENANT;
  const written = writtenFilter(options, filter);
  const [first] = found.events;
  print(
    renderSections([
      first ? renderEvents(found.events, now, screen) : nothingFound(written.join(' '), tenant),
      first ? `Why: ${meshCommand('why', [first.id], tenantOptions(tenant))}` : '',
      found.nextPage === undefined ? '' : `More: ${nextCommand(written, limit, tenant, found.nextPage)}`,
    ]),
  );
}

function nextCommand(written: string[], limit: string | undefined, tenant: string, page: string): string {
  const limits = limit === undefined ? [] : ['--limit', limit];
  return meshCommand('events', [], [...written, ...limits, ...tenantOptions(tenant), '--page', page]);
}

/** What has not been judged is not there; and what was reported elsewhere, or as something else. */
function nothingFound(filter: string, tenant: string): string[] {
  return [
    `No event of tenant ${tenant} was judged here${filter === '' ? '' : ` with ${filter}`}.`,
    `Whether events wait to be judged, and why: ${meshCommand('status', [], tenantOptions(tenant))}`,
    `Whether some were never sent: ${meshCommand('spool')}`,
    ...(filter === '' ? [] : [`What was judged last: ${meshCommand('events', [], tenantOptions(tenant))}`]),
  ];
}
