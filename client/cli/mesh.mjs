#!/usr/bin/env node
// The `mesh` command. In a clone it first makes sure that what it runs is installed and compiled from the present sources.
// `mesh hook` is called by agents, which wait for it: it compiles nothing, and ends with exit code 0, whatever happens.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** As much of what comes in as the hook itself would read. */
const MAX_RAW_CHARS = 10 * 1024 * 1024;

const [command, ...args] = process.argv.slice(2);
if (command === 'hook' && !args.includes('--help')) {
  // Whoever stops the agent must not stop the report of it. The hook ends soon by itself.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
  try {
    const { runHook } = await import('../../dist/client/cli/hook.js');
    await runHook(args, process.env, process.stdin);
  } catch (error) {
    await keepRaw(error).catch(() => undefined);
  }
  process.exit(0);
}
const { prepare } = await import('../../worker/bootstrap.mjs');
prepare();
const { runCli } = await import('../../dist/client/cli/main.js');
// These read files that the command itself knows nothing of.
await runCli(process.argv, {
  runGateway: async () => (await import('../../dist/worker/run-gateway.js')).runGateway(),
  openTrial: async () => (await import('../../dist/worker/try-rule.js')).openTrial(),
  checkConfig: async (file) => (await import('../../dist/worker/check-config.js')).checkConfig(file),
});

/** The hook is not compiled, or just being compiled anew: the next one makes an event of what this one was given. */
async function keepRaw(error) {
  process.on('uncaughtException', () => process.exit(0));
  const input = { args, env: {}, text: '', id: randomUUID() };
  for (const name of ['MESH_TENANT', 'MESH_DEPTH', 'MESH_ROOT_EVENT', 'MESH_REMEDIATION', 'MESH_LINEAGE'])
    input.env[name] = process.env[name];
  const token = process.env['MESH_TOKEN'];
  // Says whose event it is, and is of no use to anybody else.
  if (token) input.tokenHash = createHash('sha256').update(token).digest('hex');
  // What is beyond that is read, so that whoever writes does not find the pipe broken, but not kept.
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    if (input.text.length < MAX_RAW_CHARS) input.text += chunk.slice(0, MAX_RAW_CHARS - input.text.length);
  });
  await Promise.race([new Promise((resolve) => process.stdin.once('end', resolve)), wait(2_000)]);
  const home = homeIn(args) || process.env['MESH_HOME'] || '.mesh';
  const folder = join(home, 'spool', 'raw');
  // Not `recursive`, which never ends in a current folder that was deleted.
  for (const made of [home, join(home, 'spool'), folder]) if (!existsSync(made)) mkdirSync(made, { mode: 0o700 });
  if (readdirSync(folder).length >= 1_000) return;
  const text = JSON.stringify(input);
  const micros = Math.floor((performance.timeOrigin + performance.now()) * 1_000);
  const name = `${micros}-${process.pid}-${randomBytes(4).toString('hex')}-${Buffer.byteLength(text)}.json`;
  writeFileSync(join(folder, `${name}.part`), text, { mode: 0o600 });
  renameSync(join(folder, `${name}.part`), join(folder, name));
  if (args.includes('--verbose'))
    writeSync(2, `mesh hook: kept as it came, since the hook cannot be loaded: ${error.message}\n`);
}

/** `--home <folder>` or `--home=<folder>`, the last one given. */
function homeIn(words) {
  const at = words.findLastIndex((word) => word === '--home' || word.startsWith('--home='));
  const word = words[at];
  return word === '--home' ? words[at + 1] : word?.slice('--home='.length);
}
