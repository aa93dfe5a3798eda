import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { MeshEvent } from '#contract/event.js';
import { formatProblem, type Problem } from '#contract/text/problem.js';
import { type Environment, readSettings } from '#contract/settings.js';
import { createRedactor } from '#contract/text/redact/redact.js';
import type { EventDefaults } from '../event-input.js';
import { parseEvent } from '../parse-event.js';
import { CliError } from './cli-error.js';
import { lineageDefaults } from '../lineage-defaults.js';
import { print, printJson } from './print.js';
import { inputName, type JsonLine, parseJsonLines, readInput } from './read-input.js';
import { TENANT_OPTION, tenantOptions } from './tenant-option.js';
import { meshCommand } from './terminal/shell-word.js';
import { unknownEventNames } from '../unknown-event-names.js';
import { withMesh } from './open-mesh.js';
import { messageOf } from '#contract/text/words.js';

interface SendOptions {
  event?: string;
  outcome?: string;
  payload?: string;
  id?: string;
  tenant?: string;
  session?: string;
  agent?: string;
  depth?: string;
  source?: string;
  json?: boolean;
}

export function addSendCommand(program: Command): void {
  program
    .command('send')
    .description('report events; ends once Temporal has stored them')
    .argument('[file]', 'a JSON event, an array, or one event per line; - for standard input')
    .option('-e, --event <name>', 'event name, such as PostToolUseFailure')
    .option('-o, --outcome <outcome>', 'success, failed, timeout or unknown')
    .option('-p, --payload <json>', 'what the runtime knows about it, a JSON object')
    .option('--id <id>', 'a stable id: the same id is never acted on twice')
    .option('--session <id>', 'the session it came from (default: session_id of the payload)')
    .option('--agent <name>', 'the agent that reports')
    .option('--depth <n>', 'chain depth (default: MESH_DEPTH, or 0)')
    .option(...TENANT_OPTION)
    .option('--source <name>', 'who reports (default: cli)')
    .option('--json', 'print {"ids": […], "watches": […]}')
    .addHelpText(
      'after',
      `\nExample:\n  mesh send -e PostToolUseFailure -o failed -p '{"tool_name":"Bash","error":"timeout"}'`,
    )
    .action((file: string | undefined, options: SendOptions) => send(file, options, process.env));
}

async function send(file: string | undefined, options: SendOptions, env: Environment): Promise<void> {
  const inputs = await inputsOf(file, options);
  const events = parseAll(inputs, file, defaultsFrom(options, env), env);
  for (const warning of unknownEventNames(events.map(({ event }) => event)))
    process.stderr.write(`Warning: ${warning}\n`);
  const { ids, watches } = await withMesh((mesh) => mesh.send(events));
  if (options.json) printJson({ ids, watches });
  else print(describe(events));
}

/** What was stored, and how to go on: few know what to ask next. */
function describe(events: MeshEvent[]): string {
  const [first, ...others] = events;
  if (!first) return 'Nothing to store.';
  const why = `What became of it: ${meshCommand('why', [first.id], tenantOptions(first.tenant))}`;
  if (others.length === 0) return `Event ${first.id} stored.\n${why}`;
  const status = `What became of all: ${meshCommand('status', [], tenantOptions(first.tenant))}`;
  return `${events.length} events stored, the first one with id ${first.id}.\n${why}\n${status}`;
}

async function inputsOf(file: string | undefined, options: SendOptions): Promise<JsonLine[]> {
  if (file !== undefined) {
    // Ignoring one of these without a word would lose what it says.
    const ofOneEvent = OPTIONS_OF_ONE_EVENT.find((name) => options[name] !== undefined);
    if (ofOneEvent) throw new CliError(`give a file or --${ofOneEvent}, not both`);
    const inputs = parseJsonLines(await readInput(file), inputName(file));
    if (inputs.length === 0) throw new CliError(`${inputName(file)}: holds no event`);
    return inputs;
  }
  if (options.event === undefined)
    throw new CliError('nothing to send: give --event <name>, a file, or - for standard input');
  return [{ line: 1, value: eventFromOptions(options) }];
}

const OPTIONS_OF_ONE_EVENT = ['event', 'outcome', 'payload', 'id', 'session', 'agent'] as const;

function eventFromOptions({ event, outcome, payload, id, session, agent }: SendOptions): Record<string, unknown> {
  const given = {
    event,
    outcome,
    id,
    session,
    agent,
    payload: payload === undefined ? undefined : parsePayload(payload),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function parsePayload(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch (error) {
    throw new CliError(`--payload is not valid JSON: ${messageOf(error)}`);
  }
}

function defaultsFrom(options: SendOptions, env: Environment): EventDefaults {
  return {
    now: Date.now(),
    makeId: randomUUID,
    source: options.source ?? 'cli',
    ...lineageDefaults(env),
    ...(options.depth !== undefined && { depth: Number(options.depth) }),
    ...(options.tenant !== undefined && { tenant: options.tenant }),
  };
}

function parseAll(
  inputs: JsonLine[],
  file: string | undefined,
  defaults: EventDefaults,
  env: Environment,
): MeshEvent[] {
  const redactor = createRedactor({ keys: readSettings(env).settings.redactKeys });
  const events: MeshEvent[] = [];
  const problems: string[] = [];
  for (const { line, value } of inputs) {
    const parsed = isSimulated(value) ? FOR_SIMULATE : parseEvent(value, defaults, redactor);
    if (parsed.ok) events.push(parsed.event);
    else
      problems.push(
        ...parsed.problems.map((problem) =>
          formatProblem(file === undefined ? problem : { file: inputName(file), line, ...problem }),
        ),
      );
  }
  if (problems.length > 0) throw new CliError(`${problems.slice(0, 20).join('\n')}\nNothing was sent.`);
  return events;
}

const FOR_SIMULATE: { ok: false; problems: Problem[] } = {
  ok: false,
  problems: [
    {
      path: '',
      message: 'this is a line for `mesh simulate`, {"atMs", "event"}',
      hint: 'send takes the event alone; simulate takes both forms',
    },
  ],
};

function isSimulated(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'atMs' in value && 'event' in value;
}
