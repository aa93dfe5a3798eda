import { type Command, Option } from 'commander';
import { DEFAULT_TENANT } from '#contract/names.js';
import { DEFAULT_PAGE, MAX_PAGE, type RemediationFilter } from '../filters.js';
import { CliError } from './cli-error.js';
import { print, printJson } from './print.js';
import { renderSections } from './render/facts.js';
import { renderRuns } from './render/runs.js';
import { TENANT_OPTION, tenantFrom, tenantOptions } from './tenant-option.js';
import { screenOf } from './terminal/screen.js';
import { meshCommand, shellWord } from './terminal/shell-word.js';
import { withMesh } from './open-mesh.js';

interface RunsOptions {
  failed?: boolean;
  running?: boolean;
  rule?: string;
  session?: string;
  limit?: string;
  page?: string;
  tenant?: string;
  json?: boolean;
}

export function addRunsCommand(program: Command): void {
  program
    .command('runs')
    .description('list remediations: what runs, then what ended last')
    .addOption(new Option('--failed', 'only those that failed').conflicts('running'))
    .option('--running', 'only those that run')
    .option('--rule <id>', 'only those of one rule')
    .option('--session <id>', 'only those of one session')
    .option('--limit <n>', `how many, up to ${MAX_PAGE} (default: ${DEFAULT_PAGE})`)
    .option('--page <token>', 'go on where the last list ended; it says how')
    .option(...TENANT_OPTION)
    .option('--json', 'print {"remediations": […], "nextPage": "…"}')
    .action(listRuns);
}

async function listRuns(options: RunsOptions): Promise<void> {
  const filter = filterFrom(options);
  const page = await withMesh((mesh) => mesh.remediations(filter));
  if (options.json) return printJson(page);
  const { remediations, nextPage } = page;
  const next = nextPage === undefined ? '' : `More: ${nextCommand(options, filter, nextPage)}`;
  if (remediations.length === 0) return print(renderSections([`No remediation: ${describe(filter)}.`, next]));
  print(
    renderSections([
      renderRuns(page, Date.now(), screenOf(process.stdout, process.env)),
      [
        `One of them, whole: ${meshCommand('show', [], ['<id>', ...tenantOptions(filter.tenant ?? DEFAULT_TENANT)])}`,
        next,
      ].filter((line) => line !== ''),
    ]),
  );
}

function filterFrom(options: RunsOptions): RemediationFilter {
  const { failed, running, rule, session, page } = options;
  const outcome = failed ? 'failed' : running ? 'running' : undefined;
  return {
    tenant: tenantFrom(options, process.env),
    ...(outcome !== undefined && { outcome }),
    ...(rule !== undefined && { rule }),
    ...(session !== undefined && { session }),
    ...(options.limit !== undefined && { limit: limitFrom(options.limit) }),
    ...(page !== undefined && { page }),
  };
}

/** What `--limit` says, of any list. */
export function limitFrom(written: string): number {
  const limit = Number(written);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGE) return limit;
  throw new CliError(`--limit: expected a whole number from 1 to ${MAX_PAGE}, found ${JSON.stringify(written)}`);
}

function describe({ tenant = DEFAULT_TENANT, rule, outcome, session }: RemediationFilter): string {
  const terms = { tenant, rule, outcome, session };
  return Object.entries(terms)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${JSON.stringify(value)}`]))
    .join(', ');
}

function nextCommand(
  { limit }: RunsOptions,
  { tenant, rule, outcome, session }: RemediationFilter,
  page: string,
): string {
  const options = [
    ...(outcome === undefined ? [] : [`--${outcome}`]),
    ...(rule === undefined ? [] : ['--rule', shellWord(rule)]),
    ...(session === undefined ? [] : ['--session', shellWord(session)]),
    ...(limit === undefined ? [] : ['--limit', limit]),
    ...tenantOptions(tenant ?? DEFAULT_TENANT),
    ...['--page', page],
  ];
  return meshCommand('runs', [], options);
}
