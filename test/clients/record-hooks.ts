import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runClaude } from '../support/claude-code.js';
import { type ModelTurn, startModelStub } from '../support/model-stub.js';

export type Hook = Record<string, unknown> & { hook_event_name: string };

/** A run that goes through every kind of hook the mesh knows what to make of. */
const WORK: Record<string, ModelTurn[]> = {
  'Do the work.': [
    {
      calls: 'Bash',
      with: { command: 'echo "fetch: connection timed out" >&2; exit 7', description: 'Fetch the data' },
    },
    { calls: 'mcp__weather__forecast', with: { city: 'Oslo' } },
    { calls: 'Bash', with: { command: 'echo done', description: 'Say so' } },
    { calls: 'TaskCreate', with: { subject: 'Write the tests', description: 'Unit tests of the parser' } },
    { calls: 'TaskUpdate', with: { taskId: '1', status: 'completed' } },
    {
      calls: 'Agent',
      with: { description: 'Look around', prompt: 'Look around.', subagent_type: 'general-purpose' },
    },
    { says: 'The work is done.' },
  ],
  'Look around.': [{ calls: 'Bash', with: { command: 'exit 5', description: 'Look' } }, { says: 'Nothing to see.' }],
};

const OUTAGE: Record<string, ModelTurn[]> = { 'Do the work.': [{ failsWith: 429, message: 'Too many requests' }] };

const isBash = ({ tool_name }: Hook) => tool_name === 'Bash';

/** Which hook of the two runs each fixture holds. */
const FIXTURES: Record<string, (hook: Hook) => boolean> = {
  'session-start': (hook) => hook.hook_event_name === 'SessionStart',
  'bash-failed': (hook) => hook.hook_event_name === 'PostToolUseFailure' && isBash(hook) && !('agent_id' in hook),
  'mcp-tool-failed': (hook) => hook.hook_event_name === 'PostToolUseFailure' && !isBash(hook),
  'subagent-bash-failed': (hook) => hook.hook_event_name === 'PostToolUseFailure' && 'agent_id' in hook,
  'bash-succeeded': (hook) => hook.hook_event_name === 'PostToolUse' && isBash(hook),
  'task-created': (hook) => hook.hook_event_name === 'TaskCreated',
  'task-completed': (hook) => hook.hook_event_name === 'TaskCompleted',
  'subagent-stop': (hook) => hook.hook_event_name === 'SubagentStop',
  stop: (hook) => hook.hook_event_name === 'Stop',
  'stop-failure': (hook) => hook.hook_event_name === 'StopFailure',
};

/** The names of the fixtures that are recorded. */
export const RECORDED = Object.keys(FIXTURES);

/** Runs the real client and gives what its hooks were handed, by the name of the fixture that holds it. */
export async function recordHooks(program: string, folder: string): Promise<Record<string, Hook>> {
  const hooks = [
    ...(await hooksOf(program, join(folder, 'work'), WORK)),
    ...(await hooksOf(program, join(folder, 'outage'), OUTAGE)),
  ];
  return Object.fromEntries(
    Object.entries(FIXTURES).map(([name, isIt]) => {
      const hook = hooks.find(isIt);
      if (hook === undefined) throw new Error(`no hook for ${name} in ${JSON.stringify(hooks, null, 1)}`);
      return [name, hook];
    }),
  );
}

async function hooksOf(program: string, folder: string, conversations: Record<string, ModelTurn[]>): Promise<Hook[]> {
  await mkdir(folder, { recursive: true });
  const mcpServer = join(folder, 'weather.mjs');
  await writeFile(mcpServer, FAILING_MCP_SERVER);
  const mcp = JSON.stringify({ mcpServers: { weather: { command: process.execPath, args: [mcpServer] } } });
  const log = join(folder, 'hooks.jsonl');
  const settings = join(folder, 'settings.json');
  await writeFile(settings, JSON.stringify({ hooks: writingTo(log) }));

  const stub = await startModelStub(conversations);
  const run = await runClaude({
    program,
    folder,
    modelUrl: stub.url,
    prompt: 'Do the work.',
    settings,
    // All tools at hand from the start, and subagents waited for: newer versions do neither by themselves.
    env: { ENABLE_TOOL_SEARCH: 'false', CLAUDE_CODE_ENABLE_TODO_TOOLS: '1', CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' },
    args: ['--mcp-config', mcp, '--allowedTools', 'Bash,mcp__weather__forecast'],
  }).finally(() => stub.close());
  if (stub.unexpected.length > 0) {
    throw new Error(
      `the client asked for what no script has: ${stub.unexpected.join('; ')}. ${run.stdout}${run.stderr}`,
    );
  }
  const lines = (await readFile(log, 'utf8')).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Hook);
}

function writingTo(log: string): Record<string, unknown> {
  const events = [
    ...['SessionStart', 'PostToolUse', 'PostToolUseFailure', 'TaskCreated', 'TaskCompleted'],
    ...['SubagentStop', 'StopFailure', 'Stop'],
  ];
  const hook = { type: 'command', command: `cat >> '${log}'`, timeout: 10 };
  // The client does not wait for hooks of StopFailure, but for those of SessionEnd.
  const wait = { type: 'command', command: 'sleep 0.5', timeout: 10 };
  return Object.fromEntries([
    ...events.map((event) => [event, [{ hooks: [hook] }]]),
    ['SessionEnd', [{ hooks: [wait] }]],
  ]);
}

const FAILING_MCP_SERVER = `
import { createInterface } from 'node:readline';
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
const inputSchema = { type: 'object', properties: { city: { type: 'string' } } };
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const { protocolVersion } = params ?? {};
  if (method === 'initialize') {
    answer(id, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'weather', version: '1' } });
  } else if (method === 'tools/list') {
    answer(id, { tools: [{ name: 'forecast', description: 'Forecast', inputSchema }] });
  } else if (method === 'tools/call') {
    answer(id, { isError: true, content: [{ type: 'text', text: 'connection to the weather service timed out' }] });
  } else {
    answer(id, {});
  }
});
`;
