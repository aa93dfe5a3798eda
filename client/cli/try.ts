import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import { DIALECT_NAMES, DIALECTS } from '#rules/dialects/index.js';
import { MeshError } from '../errors.js';
import type { Mesh } from '../mesh.js';
import type { RemediationDetail } from '#contract/views/remediation.js';
import { CliError } from './cli-error.js';
import { EXIT_CODES } from './exit-codes.js';
import { print, printJson } from './print.js';
import type { Programs, RuleTrial } from './programs.js';
import { renderDryRun } from './render/dry-run.js';
import { renderRun } from './render/run.js';
import { TENANT_OPTION, tenantFrom } from './tenant-option.js';
import { screenOf } from './terminal/screen.js';
import { followRun } from './try/follow-run.js';
import { type TriedRule, tryOf } from './try/tried-rule.js';
import { withMesh } from './open-mesh.js';
import { meshCommand } from './terminal/shell-word.js';
import type { MeshEvent } from '#contract/event.js';
import { TRY_SOURCE } from '#contract/names.js';
import { formatProblem, type Problem } from '#contract/text/problem.js';
import { createRedactor, type RedactOptions } from '#contract/text/redact/redact.js';
import type { Environment } from '#contract/settings.js';
import type { EventDefaults } from '../event-input.js';
import { parseEvent } from '../parse-event.js';
import { lineageDefaults } from '../lineage-defaults.js';
import { inputName, parseJsonLines, readInput } from './read-input.js';

export interface TryOptions {
  event: string;
  from?: string;
  rules?: string;
  dryRun?: boolean;
  tenant?: string;
  json?: boolean;
}

export function addTryCommand(program: Command, { openTrial }: Programs): void {
  program
    .command('try')
    .description(
      'run the actions of one rule for one event, past the guards; with --dry-run, only show what they would do',
    )
    .argument('<rule>', 'id of the rule')
    .requiredOption('-e, --event <file>', 'a file with one JSON event, as for send; - for standard input')
    .addOption(new Option('--from <runtime>', 'the file holds what this runtime sends').choices(DIALECT_NAMES))
    .option('-r, --rules <file>', 'rule file (default: the rules of the tenant in MESH_RULES)')
    .option('--dry-run', 'show every prompt, message and request, and where it would go; open no connection')
    .option(TENANT_OPTION[0], 'tenant (default: that of the event, else MESH_TENANT, or default)')
    .option('--json', 'print one JSON object')
    .action(async (rule: string, options: TryOptions) => {
      if (!openTrial) throw new CliError('this program was started without what tries a rule: use `npx mesh try`');
      await runTry(rule, options, await openTrial());
    });
}

async function runTry(ruleId: string, options: TryOptions, trial: RuleTrial): Promise<void> {
  const event = await readTriedEvent(options, process.env, await trial.redact());
  const tried = await tryOf({ ruleId, rulesFile: options.rules, event, isDry: options.dryRun === true }, trial);
  if (options.dryRun) await showWhatItWouldDo(tried, options, trial);
  else await runForReal(tried, options, trial);
}

async function showWhatItWouldDo(tried: TriedRule, { json }: TryOptions, trial: RuleTrial): Promise<void> {
  const actions = await trial.preview(tried.remediation);
  const { remediation, judgement, source } = tried;
  const { id, event, rule } = remediation;
  if (json) return printJson({ dryRun: true, rule, rules: source, id, event, ...judgement, actions });
  print(renderDryRun({ ...tried, actions }, screenOf(process.stdout, process.env)));
}

async function runForReal(tried: TriedRule, { json }: TryOptions, trial: RuleTrial): Promise<void> {
  const { remediation, judgement } = tried;
  if (judgement.missed !== undefined) {
    throw new CliError(
      `rule ${remediation.rule} does not look at this event: ${judgement.missed}\n` +
        'Nothing was started. --dry-run shows all the same what it would do.',
    );
  }
  const done = await withMesh(async (mesh) => {
    await requireWorker(mesh);
    await trial.start(remediation);
    return watch(mesh, remediation.id);
  });
  if (json) printJson(done);
  else print(renderRun(done, false, Date.now(), screenOf(process.stdout, process.env)));
  const isWell = done.outcome === 'executed' || done.outcome === 'skipped';
  process.exitCode = isWell ? EXIT_CODES.done : EXIT_CODES.refused;
}

/** Without one it would wait on the server, and run when nobody thinks of it any more. */
async function requireWorker(mesh: Mesh): Promise<void> {
  const { isReachable, workers, problem } = await mesh.health();
  if (!isReachable) throw new MeshError('unreachable', problem ?? 'Temporal does not answer');
  if (workers === 0)
    throw new MeshError('no-worker', 'no worker runs, and nothing was started: start one with `npm start`');
}

async function watch(mesh: Mesh, id: string): Promise<RemediationDetail> {
  const say = (line: string) => process.stderr.write(`${line}\n`);
  say(`Started ${id}. Ctrl-C leaves it running.`);
  const stopListening = onInterrupt(id, say);
  try {
    return await followRun(mesh, id, { tell: say, screen: screenOf(process.stderr, process.env) });
  } finally {
    stopListening();
  }
}

/** What a shell takes for "ended by Ctrl-C". */
const INTERRUPTED = 130;

/** Ctrl-C ends the command, not what it has started. The answer takes this back. */
function onInterrupt(id: string, say: (line: string) => void): () => void {
  const leave = () => {
    say(`\nIt goes on without this command.\nTo see how it stands: ${meshCommand('show', [id])}`);
    say(`To end it: ${meshCommand('abort', [id])}`);
    process.exit(INTERRUPTED);
  };
  process.once('SIGINT', leave);
  return () => process.off('SIGINT', leave);
}

interface Given {
  event: string;
  /** The dialect that the file is written in. */
  from?: string;
  tenant?: string;
}

/**
 * The one event of a file, as the mesh would take it, but for its source: whoever is told of it sees that it is a try. It has an
 * id of its own too, so that it can be tried again, and a remediation of the event itself is still to come when that is reported.
 */
export async function readTriedEvent(given: Given, env: Environment, redact: RedactOptions): Promise<MeshEvent> {
  const file = inputName(given.event);
  const [first, ...others] = parseJsonLines(await readInput(given.event), file);
  if (!first || others.length > 0) {
    throw new CliError(`${file}: expected one event, found ${first ? others.length + 1 : 'none'}`);
  }
  const dialect = given.from === undefined ? undefined : DIALECTS[given.from];
  const read = dialect ? dialect.event(first.value) : { ok: true as const, event: first.value };
  const parsed = read.ok
    ? parseEvent(
        given.from === undefined ? read.event : { ...(read.event as object), dialect: given.from },
        defaultsFrom(env),
        createRedactor(redact),
      )
    : read;
  if (!parsed.ok) throw new CliError(described(parsed.problems, file, first.line));
  const { tenant } = given.tenant === undefined ? parsed.event : { tenant: tenantFrom(given, env) };
  return { ...withoutToken(parsed.event), id: tryId(), tenant, source: TRY_SOURCE };
}

function defaultsFrom(env: Environment): EventDefaults {
  return { now: Date.now(), makeId: tryId, ...lineageDefaults(env), tenant: tenantFrom({}, env) };
}

function tryId(): string {
  return `try-${randomUUID()}`;
}

/** What it proves is judged by a watch, and this event passes none. */
function withoutToken(event: MeshEvent): MeshEvent {
  if (event.lineage?.token === undefined) return event;
  const { lineage, ...rest } = event;
  const { token: _token, ...place } = lineage;
  return Object.keys(place).length === 0 ? rest : { ...rest, lineage: place };
}

function described(problems: Problem[], file: string, line: number): string {
  return problems.map((problem) => formatProblem({ file, line, ...problem })).join('\n');
}
