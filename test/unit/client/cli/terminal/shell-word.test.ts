import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { meshCommand, shellWord } from '#client/cli/terminal/shell-word.js';

describe('shellWord', () => {
  test.each([
    ['retry-failed-tool', 'retry-failed-tool'],
    ['remediation/default/a%20b/e-1', 'remediation/default/a%20b/e-1'],
    ['two words', `'two words'`],
    [`it's`, `'it'\\''s'`],
    ['$(reboot)', `'$(reboot)'`],
    ['~root', `'~root'`],
    ['=ls', `'=ls'`],
    ['-rf', `'-rf'`],
    ['', `''`],
    ['a\nb', `'a\\u000ab'`],
  ])('%j is written %s', (text, word) => {
    expect(shellWord(text)).toBe(word);
  });

  test('is the text again when a shell has read it', () => {
    const texts = fc.sample(
      fc.string({ minLength: 1 }).filter((text) => !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text)),
      {
        numRuns: 200,
        seed: 7,
      },
    );

    const { stdout } = spawnSync('sh', ['-c', `printf '%s\\n' ${texts.map(shellWord).join(' ')}`], {
      encoding: 'utf8',
    });

    expect(stdout.split('\n').slice(0, -1)).toEqual(texts);
  });
});

describe('meshCommand', () => {
  test.each([
    ['only a command', ['status'], 'npx mesh status'],
    ['a word', ['why', ['e-1']], 'npx mesh why e-1'],
    ['options before words', ['why', ['e-1'], ['--tenant', 't']], 'npx mesh why --tenant t e-1'],
    ['a word that looks like an option', ['why', ['-x']], `npx mesh why -- '-x'`],
  ] as const)('%s', (_, [command, words = [], options = []], line) => {
    expect(meshCommand(command, [...words], [...options])).toBe(line);
  });
});
