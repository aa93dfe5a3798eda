import { expect, test } from 'vitest';
import { readHookOptions } from '#client/cli/hook/hook-options.js';

const at = (url: string) => ['claude-code', '--gateway', url];

test.each([
  ['the default gateway', ['claude-code'], {}, true],
  ['the same, named', at('http://127.0.0.1:7280'), {}, true],
  ['one on a port of its own, of which nothing else is known', at('http://127.0.0.1:27780'), {}, false],
  ['the same, with the port of its Temporal', at('http://127.0.0.1:27780'), { MESH_TEMPORAL_PORT: '27733' }, true],
  ['one on another machine', at('https://mesh.example.com'), { MESH_TEMPORAL_PORT: '27733' }, false],
])('%s: whether the Temporal of this machine is its own', (_, args, env, isLocal) => {
  expect(readHookOptions(args, env).gateway?.isLocal).toBe(isLocal);
});
