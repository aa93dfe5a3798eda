import { expect, it } from 'vitest';
import { agentRequestOf } from '#activities/actions/spawn-fallback-agent/agent-request.js';
import { commandLine } from '#activities/actions/spawn-fallback-agent/launchers/command-line.js';
import type { Launch } from '#activities/actions/spawn-fallback-agent/launch.js';
import { AGENT_PRESETS, type AgentPreset, PRESET_NAMES } from '#config/agent-presets.js';
import { MeshConfig, parseMeshConfig } from '#config/mesh-config.js';
import { ofEveryAction } from '#contract/actions/of-every-action.js';
import { SpawnFallbackAgent } from '#contract/actions/spawn-fallback-agent/schema.js';
import { aSpawnRequest } from '../support/spawn-activity.js';
import { codeBlocksOf, codesBelow, codesIn, readText, tableBelow } from './markdown.js';
import { fieldsOf } from './schema-fields.js';

const PAGE = 'docs/actions/spawn-fallback-agent.md';

it('lists the fields of the action that only it has', () => {
  const own = fieldsOf(SpawnFallbackAgent).filter(({ path }) => path !== 'type' && !Object.hasOwn(ofEveryAction, path));

  expect(codesBelow(PAGE, 'What a rule may say', 'field').sort()).toEqual(own.map(({ path }) => path).sort());
});

it('lists the fields of agents in mesh.yaml, with defaults', () => {
  const rows = new Map(
    tableBelow(PAGE, 'mesh.yaml').map((row) => [codesIn(row['field'])[0], codesIn(row['default'])[0]]),
  );
  const fields = fieldsOf(MeshConfig, true).filter(({ path }) => path.startsWith('agents.'));

  expect([...rows.keys()].sort()).toEqual(fields.map(({ path }) => path).sort());
  for (const field of fields) if (field.default !== undefined) expect(rows.get(field.path)).toBe(field.default);
});

it('lists the presets: how they are called, and whether that was tried', () => {
  const shown = tableBelow(PAGE, 'Presets').map((row) => ({
    name: codesIn(row['preset'])[0],
    line: codesIn(row['program called'])[0],
    session: row['session'],
    tried: row['tried'],
  }));

  const yes = (is: boolean) => (is ? 'yes' : 'no');
  const presets = PRESET_NAMES.map((name) => {
    const { program, args, last = [], sessionFlag, isVerified }: AgentPreset = AGENT_PRESETS[name];
    const line = [program, ...args, ...last].join(' ');
    return { name, line, session: yes(sessionFlag !== undefined), tried: yes(isVerified) };
  });
  expect(shown).toEqual(presets);
});

it('lists what a service is sent', () => {
  const launch = { request: aSpawnRequest({ plan: { model: 'm' } }), lineage: {} } as Launch;
  const sent = Object.keys(agentRequestOf(launch));

  expect(codesBelow(PAGE, 'Services over HTTP', 'field')).toEqual(sent);
});

it('shows only configurations that are valid', () => {
  const blocks = codeBlocksOf(readText(PAGE)).filter((block) => block.startsWith('agents:'));

  expect(blocks).toHaveLength(2);
  for (const block of blocks) expect(parseMeshConfig(block, 'mesh.yaml')).toMatchObject({ ok: true });
});

it('shows a command that takes its prompt behind the end of its options', () => {
  const [, block = ''] = codeBlocksOf(readText(PAGE)).filter((one) => one.startsWith('agents:'));
  const parsed = parseMeshConfig(block, 'mesh.yaml');
  const agent = parsed.ok ? parsed.value.agents['default'] : undefined;
  if (agent?.kind !== 'command') throw new Error('the page shows no command');

  const { argv } = commandLine(agent, { prompt: 'the prompt', request: aSpawnRequest() } as Launch);

  expect(argv.slice(-2)).toEqual(['--', 'the prompt']);
});
