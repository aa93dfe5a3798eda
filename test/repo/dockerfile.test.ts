import { describe, expect, it } from 'vitest';
import { SETTINGS } from '#contract/settings.js';
import { copiesOf, dockerignore, environmentOf, parseDockerfile, type Stage, textsOf } from '../support/dockerfile.js';
import { repositoryFiles } from './files.js';
import { readText } from './markdown.js';

const FILES = repositoryFiles();
const PACKAGE = JSON.parse(readText('package.json')) as {
  files: string[];
  engines: { node: string };
  scripts: Record<string, string>;
};
const { include: COMPILED } = JSON.parse(readText('tsconfig.json')) as { include: string[] };

const STAGES = parseDockerfile(readText('Dockerfile'));
const BUILD = stage(0);
const BOX = stage(1);
const lets = dockerignore(readText('.dockerignore'));

describe('Dockerfile', () => {
  it('builds in one stage and runs in another, on one exact version of a Node with glibc', () => {
    const images = STAGES.map(({ image }) => image);

    expect(images).toHaveLength(2);
    for (const image of images) expect(image).toMatch(/^node:\d+\.\d+\.\d+-bookworm(-slim)?$/);
    const [version = '', other = ''] = images.map((image) => /:([\d.]+)-/.exec(image)?.[1] ?? '');
    expect(version).toBe(other);
    expect(isAtLeast(version, PACKAGE.engines.node.replace('>=', ''))).toBe(true);
    expect(BOX.image).toMatch(/-slim$/);
  });

  it('copies only what the repository has and .dockerignore lets through', () => {
    const sources = STAGES.flatMap(copiesOf).flatMap(({ from, sources: paths }) => (from === undefined ? paths : []));

    expect(sources.length).toBeGreaterThan(10);
    expect(sources.filter((source) => filesOf(source).length === 0)).toEqual([]);
    expect(sources.filter((source) => !filesOf(source).some(lets))).toEqual([]);
  });

  it('gives the compiler all it compiles', () => {
    const copied = repositoryPathsIn(BUILD);

    expect(copied).toEqual(expect.arrayContaining([...COMPILED, 'package-lock.json', '.npmrc', 'tsconfig.json']));
    const wanted = FILES.filter((path) => COMPILED.includes(path.split('/')[0] ?? '') && /\.(ts|mjs)$/.test(path));
    expect(wanted.filter((path) => !lets(path))).toEqual([]);
  });

  it('runs with what the package holds, and with production packages only', () => {
    const fromBuild = copiesOf(BOX).filter(({ from }) => from === BUILD.name);
    const targets = [...repositoryPathsIn(BOX), ...fromBuild.map(({ target }) => target)];
    const packed = PACKAGE.files.filter((path) => !path.startsWith('!') && path !== 'docs');

    expect(packed.length).toBeGreaterThan(3);
    for (const path of packed.flatMap((pattern) => expand(pattern))) expect(targets).toContain(path);
    expect(targets).toEqual(expect.arrayContaining(['package.json', 'node_modules', SETTINGS.MESH_RULES.default]));
    expect(targets).toContain(SETTINGS.MESH_CONFIG.default);
    expect(textsOf(BUILD, 'RUN')).toContain('npm prune --omit=dev');
    expect(textsOf(BOX, 'RUN').filter((command) => /\b(npm|npx|apt|apt-get)\b/.test(command))).toEqual([]);
  });

  it('runs npm scripts that exist', () => {
    const scripts = textsOf(BUILD, 'RUN').flatMap((command) => /npm run ([\w-]+)/.exec(command)?.[1] ?? []);

    expect(scripts).toEqual(['build']);
    expect(PACKAGE.scripts).toHaveProperty('build');
  });

  it('runs as somebody who owns nothing but the state', () => {
    const kinds = BOX.steps.map(({ instruction }) => instruction);

    expect(textsOf(BOX, 'USER')).toEqual(['node']);
    expect(kinds.slice(kinds.indexOf('USER') + 1)).toEqual(['EXPOSE', 'CMD']);
    expect(textsOf(BOX, 'COPY').filter((text) => text.includes('--chown'))).toEqual([]);
    expect(textsOf(BOX, 'RUN')).toEqual([`install -d -o node -g node ${environmentOf(BOX)['MESH_HOME']}`]);
  });

  it('sets variables that the code reads, and no secret', () => {
    const names = Object.keys(environmentOf(BOX));

    expect(names.filter((name) => name.startsWith('MESH_') && !Object.hasOwn(SETTINGS, name))).toEqual([]);
    expect(names.filter((name) => /PASSWORD|SECRET|TOKEN|KEY/.test(name))).toEqual([]);
    expect(STAGES.flatMap((one) => textsOf(one, 'ARG'))).toEqual([]);
  });
});

describe('.dockerignore', () => {
  it.each([
    '.git/config',
    '.mesh/token',
    '.env',
    'node_modules/yaml/package.json',
    'dist/client/mesh.js',
    'test/support/paths.ts',
    'config/bridge-token.txt',
    'notes.txt',
  ])('keeps %s out', (path) => {
    expect(lets(path)).toBe(false);
  });
});

function stage(index: number): Stage {
  const found = STAGES[index];
  if (!found) throw new Error(`Dockerfile has no stage ${index}`);
  return found;
}

function filesOf(source: string): string[] {
  return FILES.filter((path) => path === source || path.startsWith(`${source}/`));
}

function repositoryPathsIn(one: Stage): string[] {
  return copiesOf(one).flatMap(({ from, sources }) => (from === undefined ? sources : []));
}

/** `config/*.yaml` as the files it means. */
function expand(pattern: string): string[] {
  if (!pattern.includes('*')) return [pattern];
  const [folder = '', extension = ''] = pattern.split('*');
  return FILES.filter(
    (path) => path.startsWith(folder) && path.endsWith(extension) && !path.slice(folder.length).includes('/'),
  );
}

function isAtLeast(version: string, wanted: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}
