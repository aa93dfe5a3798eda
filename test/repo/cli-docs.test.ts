import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { EXIT_CODES } from '#client/cli/exit-codes.js';
import { createProgram } from '#client/cli/main.js';
import { codesBelow, readText, tableBelow } from './markdown.js';

const PAGE = 'docs/cli.md';

const PROGRAM = await createProgram();

describe('docs/cli.md lists', () => {
  const commands = allCommands(PROGRAM, '');

  it.each(commands)('the options of $name', ({ name, command }) => {
    const options = command.options.map(({ flags }) => flags);

    expect(readText(PAGE)).toContain(`### ${name}\n`);
    if (options.length > 0) expect(codesBelow(PAGE, name, 'option')).toEqual(options);
    else expect(hasTable(name)).toBe(false);
  });

  it('no command that does not exist', () => {
    const documented = [...readText(PAGE).matchAll(/^### (mesh.*)$/gm)].map(([, name]) => name);
    expect(documented.sort()).toEqual(commands.map(({ name }) => name).sort());
  });

  it('the exit codes', () => {
    expect(codesBelow(PAGE, 'Exit codes', 'code').map(Number)).toEqual(Object.values(EXIT_CODES));
  });
});

/** Every command that does something itself, with its whole name. */
function allCommands(command: Command, parent: string): { name: string; command: Command }[] {
  const name = `${parent} ${command.name()}`.trim();
  const inner = command.commands.flatMap((one) => allCommands(one, name));
  const isOnlyAGroup = parent !== '' && inner.length > 0;
  return isOnlyAGroup ? inner : [{ name, command }, ...inner];
}

function hasTable(heading: string): boolean {
  try {
    return tableBelow(PAGE, heading).length > 0;
  } catch {
    return false;
  }
}
