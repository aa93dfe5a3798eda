// Plain JavaScript on purpose: this runs before anything is installed or compiled, and needs nothing but Node.
// It installs the packages of the lockfile and compiles the sources, each only when something changed.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCES = [
  'contract',
  'rules',
  'workflows',
  'activities',
  'worker',
  'client',
  'config',
  'bench',
  'tsconfig.json',
];
const MIN_NODE = [20, 19];
const DIST = join(ROOT, 'dist');
const INSTALLED_MARK = join(ROOT, 'node_modules', '.mesh-installed');

/** Makes this folder ready to run. Silent when there is nothing to do. */
export function prepare() {
  requireNode();
  if (!existsSync(join(ROOT, 'tsconfig.json'))) return; // An installed package: compiled before it was packed.
  try {
    if (isInstalled() && isBuilt()) return linkCommand();
    const release = takeTurn();
    try {
      install();
      build();
    } finally {
      release();
    }
  } catch (error) {
    fail(error.message);
  }
}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) return;
  fail(`remediation-mesh needs Node ${MIN_NODE.join('.')} or newer; this is ${process.versions.node}.`);
}

function install() {
  if (!isInstalled()) {
    say('Installing packages (once, about half a minute) …');
    withSignsOfLife('installing', () => runNpm(['ci', '--loglevel=error', '--no-fund', '--no-audit', '--no-progress']));
    writeFileSync(INSTALLED_MARK, installStamp());
  }
  linkCommand();
}

function isInstalled() {
  return readOr(INSTALLED_MARK, '') === installStamp();
}

function installStamp() {
  return hashOf([readFileSync(join(ROOT, 'package-lock.json'), 'utf8'), process.versions.modules]);
}

/** Lets `npx mesh` find the command in a clone, as it would in a project that depends on this package. */
function linkCommand() {
  const link = join(ROOT, 'node_modules', '.bin', 'mesh');
  const target = join(ROOT, 'client', 'cli', 'mesh.mjs');
  if (existsSync(link) || process.platform === 'win32') return;
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(relative(dirname(link), target), link);
  chmodSync(target, 0o755);
}

/** Whoever had the turn before may have compiled the same. */
function build() {
  if (isBuilt()) return;
  say('Compiling …');
  // Compiled aside and then swapped, so that a command started meanwhile never sees half of it. A hook does not wait for
  // this turn: between the two renames is the only moment in which it finds nothing.
  const fresh = join(ROOT, `dist-${process.pid}`);
  const old = `${fresh}-old`;
  removeLeftovers();
  // Before compiling: a file that is written meanwhile is not in what was compiled.
  const now = new Date();
  const stamp = buildStamp();
  try {
    withSignsOfLife('compiling', () => {
      run(process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc'), '--noCheck', '--outDir', fresh]);
      run(process.execPath, [join(fresh, 'worker', 'bundle.js')]);
    });
    writeFileSync(join(fresh, '.built-from'), stamp);
    utimesSync(join(fresh, '.built-from'), now, now);
    if (existsSync(DIST)) renameSync(DIST, old);
    renameSync(fresh, DIST);
  } finally {
    for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true });
  }
}

/** What a build left behind that was killed. */
function removeLeftovers() {
  for (const name of readdirSync(ROOT)) {
    const [, pid] = /^dist-(\d+)/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(ROOT, name), { recursive: true, force: true });
  }
}

/**
 * Every command asks this, so what was found is kept as the time of the mark: reading all sources takes ten times as long as
 * asking when each was last touched.
 */
function isBuilt() {
  const mark = join(DIST, '.built-from');
  const [hash, modules] = readOr(mark, '').split(' ');
  if (modules !== process.versions.modules) return false;
  const now = new Date();
  const markedMs = statSync(mark).mtimeMs - CLOCK_STEP_MS;
  if (SOURCES.flatMap(entriesUnder).every((path) => lstatSync(path).ctimeMs < markedMs)) return true;
  if (`${hash} ${modules}` !== buildStamp()) return false;
  utimesSync(mark, now, now);
  return true;
}

/** The clock of files may be behind by one of its steps. */
const CLOCK_STEP_MS = 100;

function buildStamp() {
  return `${hashOf(SOURCES.flatMap(filesUnder).map(stampOf))} ${process.versions.modules}`;
}

const TURN_STALE_MS = 600_000;

/** Of several commands started at once in a folder that has changed, one compiles and the others wait for it. */
function takeTurn() {
  const turn = join(ROOT, 'dist-turn');
  const owner = join(turn, 'owner');
  for (;;) {
    try {
      mkdirSync(turn);
      writeFileSync(owner, String(process.pid));
      return () => rmSync(turn, { recursive: true, force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const since = statSync(turn, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    const pid = Number(readOr(owner, ''));
    if ((pid > 0 && !isAlive(pid)) || Date.now() - since > TURN_STALE_MS)
      rmSync(turn, { recursive: true, force: true });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function filesUnder(path) {
  if (!statSync(join(ROOT, path)).isDirectory()) return [path];
  return entriesUnder(path)
    .filter((full) => full.endsWith('.ts'))
    .map((full) => relative(ROOT, full))
    .sort();
}

/** Folders too: they tell of a file that was taken away. */
function entriesUnder(path) {
  const full = join(ROOT, path);
  if (!statSync(full).isDirectory()) return [full];
  return [full, ...readdirSync(full, { recursive: true }).map((name) => join(full, String(name)))];
}

function stampOf(path) {
  return `${path} ${hashOf([readFileSync(join(ROOT, path), 'utf8')])}`;
}

function hashOf(parts) {
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}

function readOr(path, otherwise) {
  return existsSync(path) ? readFileSync(path, 'utf8') : otherwise;
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

function runNpm(args) {
  const npm = process.env['npm_execpath'];
  if (npm?.endsWith('.js')) run(process.execPath, [npm, ...args]);
  else run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args);
}

function run(command, args) {
  try {
    execFileSync(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  } catch (error) {
    const said = `${error.stdout ?? ''}${error.stderr ?? ''}`.trim();
    throw new Error(`${said}\nThis failed: ${[command, ...args].join(' ')}`);
  }
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

function fail(line) {
  say(line);
  process.exit(1);
}

function vitest(args) {
  const vitestBin = join('node_modules', 'vitest', 'vitest.mjs');
  const config = ['--config', join('.config', 'vitest.ts')];
  const { status } = spawnSync(process.execPath, [vitestBin, 'run', ...config, ...args], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  process.exit(status ?? 1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [command = 'build', ...args] = process.argv.slice(2);
  prepare();
  if (command === 'start') await import(pathToFileURL(join(ROOT, 'dist', 'worker', 'start.js')).href);
  else if (command === 'test') vitest(args);
  else if (command !== 'build') fail(`unknown command ${command}: expected build, start or test`);
}
