import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { watchId } from '#contract/ids.js';
import type { MeshEvent } from '#contract/event.js';
import { findAny } from '../support/find-any.js';
import { ROOT } from '../support/paths.js';
import type { Finished } from '../support/run-command.js';
import { runIn, startIn } from '../support/start-in.js';

// What a user of the package gets: packed, installed into a project of its own, compiled against and run.

interface Packed {
  filename: string;
  size: number;
  files: { path: string; size: number }[];
}

const CONSUMER = join(ROOT, 'test', 'fixtures', 'consumer');

let folder: string;
let project: string;
let packed: Packed;
let tenant: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mesh-pack-'));
  project = join(folder, 'consumer');
  tenant = `pack-${randomBytes(4).toString('hex')}`;
  const { stdout } = await runIn(ROOT, ['npm', 'pack', '--json', '--pack-destination', folder]);
  packed = (JSON.parse(stdout.slice(stdout.indexOf('['))) as [Packed])[0];
  await cp(CONSUMER, project, { recursive: true });
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  const install = ['npm', 'install', join(folder, packed.filename), '--no-audit', '--no-fund'];
  await runIn(project, install);
}, 180_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the tarball', () => {
  const ALLOWED = [
    /^(package\.json|README\.md|LICENSE)$/,
    /^worker\/(mesh|bootstrap)\.mjs$/,
    /^config\/(rules|mesh)\.yaml$/,
    /^config\/examples\/[\w.-]+\.(yaml|json|jsonl|mjs)$/,
    /^docs\/((adr|actions|internals)\/)?[\w-]+\.md$/,
    /^docs\/images\/[\w-]+\.png$/,
    /^dist\/workflow-bundle\.cjs$/,
    /^dist\/(contract|rules|adapters|activities|config|client|worker)\/([\w-]+\/)*[\w-]+(\.js|\.d\.ts)$/,
  ];

  it('holds the program and its documentation, and nothing else', () => {
    const paths = packed.files.map(({ path }) => path);

    expect(paths.filter((path) => !ALLOWED.some((pattern) => pattern.test(path)))).toEqual([]);
    // A pattern that fits nothing allows what was there once.
    expect(ALLOWED.filter((pattern) => !paths.some((path) => pattern.test(path)))).toEqual([]);
  });

  it('is small', () => {
    // The picture of a whole message takes the most.
    const large = packed.files.filter(({ size }) => size > 96 * 1024).map(({ path }) => path);
    const bundle = packed.files.find(({ path }) => path === 'dist/workflow-bundle.cjs');

    expect(large).toEqual(['dist/workflow-bundle.cjs']);
    expect(bundle?.size).toBeLessThan(3 * 1024 * 1024);
    expect(packed.size).toBeLessThan(1.5 * 1024 * 1024);
  });

  it('misses nothing that its files import, for running or for compiling', async () => {
    const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const known = new Set(packed.files.map(({ path }) => path));
    const missing: string[] = [];
    for (const path of [...known].filter((name) => /\.(m?js|d\.ts)$/.test(name))) {
      const text = await readFile(join(project, 'node_modules', 'remediation-mesh', path), 'utf8');
      for (const target of importsOf(text)) {
        if (!isThere(path, target, known, dependencies)) missing.push(`${path} imports ${target}`);
      }
    }

    // Only where a clone runs its own server, and only there is it installed; its absence is handled.
    expect(missing).toEqual(['dist/worker/dev/temporal-binary.js imports @temporalio/testing']);
  });
});

describe('a project that installed it', () => {
  it('compiles against it, with every type as promised', { timeout: 60_000 }, async () => {
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const { code, stdout } = await startIn(project, [process.execPath, tsc, '--project', '.', ...nodeTypes()]).finished;

    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  });

  it('gets descriptions of types that are sound, and no any in what is exported', { timeout: 60_000 }, () => {
    const home = join(project, 'node_modules', 'remediation-mesh', 'dist');
    const entry = join(home, 'client', 'mesh.d.ts');
    const program = ts.createProgram([entry], {
      strict: true,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules', '@types')],
    });
    const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(home));
    const problems = own.flatMap((file) => program.getSemanticDiagnostics(file));

    expect(own.length).toBeGreaterThan(5);
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
    expect(findAny(program, entry, (file) => file.startsWith(home))).toEqual([]);
  });

  it('reports an event that the server then has', async () => {
    const id = `pack-${randomBytes(4).toString('hex')}`;
    const { stdout } = await runIn(project, [process.execPath, 'out/report.js', tenant, id], connection());

    expect(JSON.parse(stdout)).toEqual({ ids: [id], watches: [`watch/${tenant}`] });
    expect(await eventsStored()).toMatchObject([
      { id, tenant, event: 'TaskCompleted', outcome: 'failed', source: 'consumer', payload: { task_subject: 'Build' } },
    ]);
  });

  it('has the mesh command, which compiles nothing', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };

    expect(await mesh(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    const checked = await mesh(['check', 'node_modules/remediation-mesh/config/rules.yaml']);
    expect(checked).toMatchObject({ code: 0, stderr: '' });
    expect(checked.stdout).toContain('rules.yaml');
  });

  it('sends an event with it', async () => {
    const sent = await mesh(['send', '--tenant', tenant, '--id', 'by-hand', '--event', 'TaskCompleted', '--json']);

    expect(sent).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(sent.stdout)).toEqual({ ids: ['by-hand'], watches: [`watch/${tenant}`] });
    expect((await eventsStored()).map(({ id }) => id)).toContain('by-hand');
  });
});

function nodeTypes(): string[] {
  return ['--typeRoots', join(ROOT, 'node_modules', '@types')];
}

function connection(): Record<string, string> {
  return { TEMPORAL_ADDRESS: inject('temporalAddress'), MESH_HOME: join(folder, 'state') };
}

function mesh(args: string[]): Promise<Finished> {
  return startIn(project, ['npx', '--no-install', 'mesh', ...args], connection()).finished;
}

/** The events in the history of the tenant's watch, for which no worker is needed. */
async function eventsStored(): Promise<MeshEvent[]> {
  const server = await Connection.connect({ address: inject('temporalAddress') });
  try {
    const history = await new Client({ connection: server }).workflow.getHandle(watchId(tenant)).fetchHistory();
    const signals = (history.events ?? []).flatMap(
      ({ workflowExecutionSignaledEventAttributes: signal }) => signal ?? [],
    );
    return signals.flatMap(({ input }) =>
      (input?.payloads ?? []).flatMap(({ data }) => JSON.parse(Buffer.from(data ?? []).toString()) as MeshEvent[]),
    );
  } finally {
    await server.close();
  }
}

function importsOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return [...code.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([\w@./:-]+)['"]/g)].map(([, target = '']) => target);
}

function isThere(
  path: string,
  target: string,
  known: ReadonlySet<string>,
  dependencies: Record<string, string>,
): boolean {
  if (target.startsWith('.')) {
    const file = posix.join(dirname(path), target);
    // Where types are asked for, the description of a file stands for it.
    return known.has(path.endsWith('.d.ts') ? file.replace(/\.js$/, '.d.ts') : file);
  }
  if (target.startsWith('node:')) return builtinModules.includes(target.slice('node:'.length));
  const name = target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
  return Object.hasOwn(dependencies, name);
}
