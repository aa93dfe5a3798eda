#!/usr/bin/env node
// The `mesh` command: runs what was compiled last. `mesh hook` is called by agents, which wait for it: it loads as little as
// it can, and ends with exit code 0, whatever happens.
import { existsSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DIST = new URL('../dist/', import.meta.url);
const [command, ...args] = process.argv.slice(2);

if (command === 'hook' && !args.includes('--help')) {
  // Whoever stops the agent must not stop the report of it. The hook ends soon by itself.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
  try {
    const { runHook } = await import(new URL('client/cli/hook.js', DIST).href);
    await runHook(args, process.env, process.stdin);
  } catch (error) {
    if (args.includes('--verbose')) writeSync(2, `mesh hook: the event is lost, ${error.message}\n`);
  }
  process.exit(0);
}
if (!existsSync(new URL('.built-from', DIST)) && existsSync(new URL('../tsconfig.json', import.meta.url))) {
  const clone = fileURLToPath(new URL('..', import.meta.url));
  writeSync(2, `Nothing is compiled yet. Run "npm start" or "npm run build" in ${clone} first.\n`);
  process.exit(1);
}
const { runCli } = await import(new URL('client/cli/main.js', DIST).href);
// These read files that the command itself knows nothing of.
await runCli(process.argv, {
  runStart: async (isQuiet) =>
    (await import(new URL('worker/start.js', DIST).href)).runStart({ isQuiet, areWarningsSaid: true }),
  runGateway: async () => (await import(new URL('worker/run-gateway.js', DIST).href)).runGateway(),
  openTrial: async () => (await import(new URL('worker/try-rule.js', DIST).href)).openTrial(),
  checkConfig: async (file) => (await import(new URL('worker/check-config.js', DIST).href)).checkConfig(file),
});
