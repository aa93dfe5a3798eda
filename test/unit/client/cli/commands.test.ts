import { describe, expect, test } from 'vitest';
import { CliError } from '#client/cli/cli-error.js';
import { createProgram } from '#client/cli/main.js';

// What the commands about a running mesh refuse before they connect; what they do is shown with a server.

const NAMES = (await createProgram()).commands.map((command) => command.name());

describe('mesh', () => {
  test.each(NAMES)('loads %s alone when that is asked for', async (name) => {
    const { commands } = await createProgram({}, name);

    expect(commands.map((command) => command.name())).toEqual([name]);
  });

  test.each<[string, string[], string]>([
    [
      'a tenant that cannot be one',
      ['status', '--tenant', 'Team A'],
      '--tenant: expected a tenant name: 1 to 63 lower-case letters, digits or -, found "Team A"',
    ],
    [
      'the id of a remediation where an event is meant',
      ['why', 'remediation/default/retry/e-1'],
      '"remediation/default/retry/e-1": expected the id of an event, not of a remediation; see `npx mesh show`',
    ],
    [
      'a limit that is none',
      ['runs', '--limit', 'many'],
      '--limit: expected a whole number from 1 to 200, found "many"',
    ],
    ['a limit of nothing', ['runs', '--limit', '0'], '--limit: expected a whole number from 1 to 200, found "0"'],
    ['too large a limit', ['runs', '--limit', '201'], '--limit: expected a whole number from 1 to 200, found "201"'],
    ['to re-arm nothing in particular', ['rearm'], 'give the id of a rule, or --all for every rule of the tenant'],
    ['to re-arm one rule and all', ['rearm', 'retry', '--all'], 'give the id of a rule or --all, not both'],
  ])('refuses %s', async (_, args, message) => {
    const run = (await createProgram()).parseAsync(['node', 'mesh', ...args]);

    await expect(run).rejects.toThrow(new CliError(message));
  });
});
