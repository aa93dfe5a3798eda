// Plain JavaScript on purpose: this runs before anything is installed or compiled, and needs nothing but Node.
// It installs the packages of the lockfile and compiles the sources, each only when something has changed.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DIST = join(ROOT, 'dist');
const MIN_NODE = [20, 19];
const MODULES = process.versions.modules;

requireNode();
const [command = 'build', ...args] = process.argv.slice(2);
// An installed package was compiled before it was packed.
if (existsSync(join(ROOT, 'tsconfig.json'))) {
  try {
    install();
    build();
  } catch (error) {
    fail(error.message);
  }
}
if (command === 'start') await start(args);
else if (command === 'test') vitest(args);
else if (command !== 'build') fail(`unknown command ${command}: expected build, start or test`);

async function start(words) {
  const unknown = words.find((word) => word !== '--quiet');
  if (unknown !== undefined) fail(`${unknown} is no option of start. There is --quiet: no line for each event.`);
  const { runStart } = await import(pathToFileURL(join(DIST, 'worker', 'start.js')).href);
  await runStart({ isQuiet: words.length > 0 });
}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) return;
  fail(`remediation-mesh needs Node ${MIN_NODE.join('.')} or newer; this is ${process.versions.node}.`);
}

function install() {
  const mark = join(ROOT, 'node_modules', '.mesh-installed');
  const stamp = hashOf([readFileSync(join(ROOT, 'package-lock.json'), 'utf8'), MODULES]);
  if (readOr(mark, '') !== stamp) {
    say('Installing packages (once, about half a minute) …');
    withSignsOfLife('installing', () => runNpm(['ci', '--loglevel=error', '--no-fund', '--no-audit', '--no-progress']));
    writeFileSync(mark, stamp);
  }
  linkCommand();
}

/** Lets `npx mesh` find the command in a clone, as it would in a project that depends on this package. */
function linkCommand() {
  const link = join(ROOT, 'node_modules', '.bin', 'mesh');
  const target = join(ROOT, 'worker', 'mesh.mjs');
  if (existsSync(link) || process.platform === 'win32') return;
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(relative(dirname(link), target), link);
  chmodSync(target, 0o755);
}

function build() {
  const mark = join(DIST, '.built-from');
  const sources = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')).include.flatMap(sourcesUnder);
  const stamp = hashOf([MODULES, ...['tsconfig.json', ...sources].map(stampOf)]);
  if (readOr(mark, '') === stamp) return;
  say('Compiling …');
  withSignsOfLife('compiling', () => {
    const incremental = ['--incremental', '--tsBuildInfoFile', join('dist', '.tsbuildinfo')];
    run(process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc'), '--noCheck', ...incremental]);
    removeStale(new Set(sources));
    run(process.execPath, [join('dist', 'worker', 'bundle.js')]);
  });
  writeFileSync(mark, stamp);
}

/** What was compiled from a file that is gone would still be found by whoever imports it. */
function removeStale(sources) {
  for (const name of readdirSync(DIST, { recursive: true }).map(String)) {
    const source = name.replace(/(\.d\.ts|\.js|\.js\.map)$/, '.ts').replaceAll('\\', '/');
    if (source !== name && !sources.has(source)) rmSync(join(DIST, name));
  }
}

function sourcesUnder(room) {
  return readdirSync(join(ROOT, room), { recursive: true })
    .map((name) => `${room}/${String(name).replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts'))
    .sort();
}

function stampOf(path) {
  return `${path} ${hashOf([readFileSync(join(ROOT, path), 'utf8')])}`;
}

function hashOf(parts) {
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}

function readOr(path, otherwise) {
  return existsSync(path) && statSync(path).isFile() ? readFileSync(path, 'utf8') : otherwise;
}

/** What works says nothing meanwhile, and this process waits for it: another one tells that it is not stuck. */
function withSignsOfLife(what, work) {
  const script = `const { ppid } = process; let seconds = 0; setInterval(() => {
    if (process.ppid !== ppid) process.exit();
    process.stderr.write('  still ${what} (' + (seconds += 10) + ' s) …\\n');
  }, 10_000);`;
  const teller = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    work();
  } finally {
    teller.kill();
  }
}

function runNpm(words) {
  const npm = process.env['npm_execpath'];
  if (npm?.endsWith('.js')) run(process.execPath, [npm, ...words]);
  else run(process.platform === 'win32' ? 'npm.cmd' : 'npm', words);
}

function run(program, words) {
  try {
    execFileSync(program, words, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  } catch (error) {
    const said = `${error.stdout ?? ''}${error.stderr ?? ''}`.trim();
    throw new Error(`${said}\nThis failed: ${[program, ...words].join(' ')}`, { cause: error });
  }
}

function vitest(words) {
  const program = [join('node_modules', 'vitest', 'vitest.mjs'), 'run', '--config', join('.config', 'vitest.ts')];
  const { status } = spawnSync(process.execPath, [...program, ...words], { cwd: ROOT, stdio: 'inherit' });
  process.exit(status ?? 1);
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

function fail(line) {
  say(line);
  process.exit(1);
}
