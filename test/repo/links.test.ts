import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProgram } from '#client/cli/main.js';
import { repositoryFiles } from './files.js';
import { codeBlocksOf, codesIn, headingsOf, readText, ROOT, withoutCode } from './markdown.js';

const PAGES = repositoryFiles().filter((path) => path.endsWith('.md'));
const { scripts: SCRIPTS } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
const OUR_FOLDERS =
  /^(contract|rules|workflows|activities|adapters|worker|client|config|test|docs|bench|\.config|\.ci)\//;

describe.each(PAGES)('%s', (page) => {
  const text = readText(page);

  it('links to files and headings that exist', () => {
    const links = [...withoutCode(text).matchAll(/(?:\]\(|\bsrc=")([^)"\s]+)[)"]/g)].map(([, target = '']) => target);
    const broken = links.filter((target) => !/^https?:/.test(target)).filter((target) => !leadsSomewhere(page, target));

    expect(broken).toEqual([]);
  });

  it('names files and folders that exist', () => {
    const named = codesIn(withoutCode(text)).filter((code) => OUR_FOLDERS.test(code) && !/[\s<>*]/.test(code));

    expect(named.filter((path) => !existsSync(`${ROOT}${path}`))).toEqual([]);
  });

  it('names commands and options that exist', () => {
    const lines = [...codeBlocksOf(text).flatMap((block) => block.split('\n')), ...codesIn(withoutCode(text))];

    expect(lines.flatMap(unknownInCommand)).toEqual([]);
  });

  it('keeps lines of text within 120 characters', () => {
    const lines = withoutCode(text).split('\n');

    expect(lines.filter((line) => line.length > 120 && !/^\s*\|/.test(line))).toEqual([]);
  });
});

function leadsSomewhere(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  if (!existsSync(`${ROOT}${file}`)) return false;
  return anchor === undefined || headingsOf(readText(file)).map(anchorOf).includes(anchor);
}

/** As the usual renderers make it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

const PROGRAM = await createProgram();

/** What a line of shell names and this package does not have. */
function unknownInCommand(line: string): string[] {
  const [, run, short] = /^\s*npm (?:run ([\w:-]+)|(\w+))/.exec(line) ?? [];
  const script = run ?? short;
  if (script !== undefined) return Object.hasOwn(SCRIPTS, script) ? [] : [line];

  const [, name, rest = ''] = /^\s*(?:npx )?mesh ([a-z][\w-]*)(.*)$/.exec(line) ?? [];
  if (name === undefined) return [];
  const command = PROGRAM.commands.find((candidate) => candidate.name() === name);
  if (!command) return [line];
  const options = [...rest.matchAll(/(?<=\s)--[a-z][\w-]*/g)].map(([option]) => option);
  return options.filter((option) => option !== '--help' && !command.options.some(({ long }) => long === option));
}
