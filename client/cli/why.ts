import type { Command } from 'commander';
import { EVENT_ID } from '#contract/event.js';
import { visible, visibleLines } from '#contract/text/plain-text.js';
import { messageOf } from '#contract/text/words.js';
import { readSettings } from '#contract/settings.js';
import type { RecordedEvent } from '#contract/views/events.js';
import { MeshError } from '../errors.js';
import type { EventRecord } from '../event-record.js';
import { type EventExplanation, explainEvent } from '../explain-event.js';
import { CliError } from './cli-error.js';
import { filterFrom } from './event-options.js';
import { explainError } from './explain-error.js';
import { EXIT_CODES } from './exit-codes.js';
import { withWatch } from './open-mesh.js';
import { withRecord } from './open-record.js';
import { print, printJson } from './print.js';
import { renderRecorded } from './render/recorded.js';
import { renderWhy } from './render/why.js';
import { TENANT_OPTION, tenantFrom, tenantOptions } from './tenant-option.js';
import { screenOf } from './terminal/screen.js';
import { meshCommand } from './terminal/shell-word.js';

interface WhyOptions {
  session?: string;
  tool?: string;
  rule?: string;
  last?: boolean;
  tenant?: string;
  json?: boolean;
}

export function addWhyCommand(program: Command): void {
  program
    .command('why')
    .description('why an event led to what it led to: each rule, each guard, what was started and what came of it')
    .argument('[event id]', 'as `mesh send` printed it, or as the reporter gave it (default: the last event)')
    .option('--session <id>', 'the last event of this session')
    .option('--tool <name>', 'the last event that names this tool')
    .option('--rule <id>', 'the last event that this rule gave a verdict on')
    .option('--last', 'the last event of all that the other options leave')
    .option(...TENANT_OPTION)
    .option('--json', 'print one JSON object')
    .action(tellWhy);
}

async function tellWhy(given: string | undefined, options: WhyOptions): Promise<void> {
  const tenant = tenantFrom(options, process.env);
  await withRecord(async (record) => {
    const eventId = given === undefined ? await lastEvent(record, tenant, options) : idFrom(given, options);
    await explain(eventId, tenant, await recorded(record, tenant, eventId), options);
  });
}

function idFrom(given: string, { session, tool, rule, last }: WhyOptions): string {
  if (!EVENT_ID.test(given)) {
    throw new CliError(
      `${JSON.stringify(given)}: expected the id of an event, not of a remediation; see \`npx mesh show\``,
    );
  }
  if (session ?? tool ?? rule ?? last) {
    throw new CliError('an event id names one event: leave out --session, --tool, --rule and --last, or the id');
  }
  return given;
}

/** The one that was judged last, of those that are meant. */
async function lastEvent(record: EventRecord, tenant: string, options: WhyOptions): Promise<string> {
  const filter = filterFrom(options, Date.now());
  const [event] = (await record.list({ ...filter, limit: 1 })).events;
  if (event) return event.id;
  const terms = Object.entries(filter).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  throw new CliError(
    `no event was judged here of ${terms.join(', ')}\nWhether events wait to be judged, and why: ${meshCommand('status', [], tenantOptions(tenant))}`,
  );
}

/** What the record knows, where there is one. */
async function recorded(record: EventRecord, tenant: string, eventId: string): Promise<RecordedEvent | undefined> {
  try {
    return await record.get(tenant, eventId);
  } catch (error) {
    // The watch may know all the same.
    const isMissing = error instanceof MeshError && error.code === 'no-record';
    if (!isMissing) process.stderr.write(`${visible(`The record cannot be read: ${messageOf(error)}`)}\n`);
    return undefined;
  }
}

async function explain(
  eventId: string,
  tenant: string,
  event: RecordedEvent | undefined,
  { json }: WhyOptions,
): Promise<void> {
  const screen = screenOf(process.stdout, process.env);
  let facts: EventExplanation;
  try {
    facts = await withWatch(tenant, (mesh) => explainEvent(mesh, eventId, tenant, event?.verdicts));
  } catch (error) {
    // Nobody who is woken up must wait for Temporal to learn what was judged before it went away.
    const { message, exitCode } = explainError(error, readSettings(process.env).settings, process.env);
    if (!event || exitCode === EXIT_CODES.refused) throw error;
    process.stderr.write(`${visibleLines(message).join('\n')}\nThis is what the record knows.\n\n`);
    process.exitCode = exitCode;
    const { verdicts } = event;
    if (json) printJson({ eventId, tenant, state: 'judged', verdicts, remediations: [] });
    else print(renderRecorded(event, tenant, Date.now(), screen));
    return;
  }
  const { judgement, remediations } = facts;
  if (json) printJson({ eventId, tenant, ...judgement, remediations });
  else print(renderWhy(facts, Date.now(), screen));
  const isKnown = judgement.state !== 'unknown' || remediations.length > 0;
  if (!isKnown) process.exitCode = EXIT_CODES.refused;
}
