// Records the hook fixtures anew from the real client: npx tsx test/clients/write-fixtures.ts

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installClaudeCode } from '../support/claude-code.js';
import { recordHooks } from './record-hooks.js';

const FAKE_SESSION = '11111111-1111-4111-8111-111111111111';

const folder = await mkdtemp(join(tmpdir(), 'mesh-hooks-'));
const hooks = await recordHooks(await installClaudeCode(), folder);
for (const [name, hook] of Object.entries(hooks)) {
  const file = new URL(`../fixtures/claude-code/${name}.json`, import.meta.url);
  await writeFile(file, `${JSON.stringify(JSON.parse(withoutMachine(JSON.stringify(hook))), null, 2)}\n`);
}
await rm(folder, { recursive: true, force: true });

/** Other folders, ids and times than those of the run, the same in every recording. */
function withoutMachine(json: string): string {
  const inName = (path: string) => path.replace(/[^A-Za-z0-9]/g, '-');
  return [join(folder, 'work'), join(folder, 'outage')]
    .reduce((text, path) => text.replaceAll(path, '/srv').replaceAll(inName(path), '-srv'), json)
    .replaceAll(/"(duration_ms)":\d+/g, '"$1":40')
    .replaceAll(/"(agent_id)":"\w+"/g, '"$1":"a0123456789abcdef"')
    .replaceAll(/agent-\w+\.jsonl/g, 'agent-a0123456789abcdef.jsonl')
    .replaceAll(/"(prompt_id)":"[\w-]+"/g, '"$1":"22222222-2222-4222-8222-222222222222"')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?<!2{12})/g, FAKE_SESSION);
}
