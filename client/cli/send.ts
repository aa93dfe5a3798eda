import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { MeshEvent } from '../../contract/event.js';
import { formatProblem } from '../../contract/problem.js';
import type { Environment } from '../../contract/settings.js';
import { connectMesh } from '../mesh.js';
import { type EventDefaults, parseEvent } from '../parse-event.js';
import { CliError } from './cli-error.js';
import { inputName, type JsonLine, parseJsonLines, readInput } from './read-input.js';

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
    .option('--tenant <name>', 'tenant (default: MESH_TENANT, or default)')
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
  const events = parseAll(inputs, file, defaultsFrom(options, env));
  const mesh = await connectMesh({ env });
  try {
    const { ids, watches } = await mesh.send(events);
    if (options.json) {
      process.stdout.write(`${JSON.stringify({ ids, watches })}\n`);
      return;
    }
    const what = ids.length === 1 ? `Event ${ids[0]}` : `${ids.length} events`;
    process.stdout.write(
      `${what} stored; see ${watches.join(', ')} in the Temporal UI, tab User Metadata, for the verdicts.\n`,
    );
  } finally {
    await mesh.close();
  }
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
    throw new CliError(`--payload is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** An agent that the mesh started finds its place in the chain in its environment, and so does what it reports. */
function defaultsFrom(options: SendOptions, env: Environment): EventDefaults {
  // An empty variable counts as one that is not set, as for all settings.
  const given = (name: string) => env[name] || undefined;
  const depth = options.depth ?? given('MESH_DEPTH');
  const root = given('MESH_ROOT_EVENT');
  const parent = given('MESH_REMEDIATION');
  const tenant = options.tenant ?? given('MESH_TENANT');
  return {
    now: Date.now(),
    makeId: randomUUID,
    source: options.source ?? 'cli',
    ...(depth !== undefined && { depth: Number(depth) }),
    ...(tenant !== undefined && { tenant }),
    ...(root !== undefined && { lineage: { root, ...(parent !== undefined && { parent }) } }),
  };
}

function parseAll(inputs: JsonLine[], file: string | undefined, defaults: EventDefaults): MeshEvent[] {
  const events: MeshEvent[] = [];
  const problems: string[] = [];
  for (const { line, value } of inputs) {
    const parsed = parseEvent(value, defaults);
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
