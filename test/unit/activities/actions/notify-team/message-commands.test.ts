import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commandsOfRule, commandsOfRun } from '#activities/actions/notify-team/message/commands.js';
import { remediationId } from '#contract/ids.js';

const LOCAL = { address: '127.0.0.1:7233', namespace: 'default' };

test('a run can be looked at, aborted, retried, and its rule armed again', () => {
  const id = remediationId('default', 'a rule', 'e:1');

  expect(commandsOfRun(id, 'a rule', 'default', LOCAL).map(({ command }) => command)).toEqual([
    'npx mesh show remediation/default/a%20rule/e:1',
    'npx mesh retry remediation/default/a%20rule/e:1',
    "npx mesh rearm 'a rule'",
    'npx mesh abort remediation/default/a%20rule/e:1',
  ]);
});

test('another tenant and another server are named', () => {
  const commands = commandsOfRule('r', 'payments', { address: 'temporal.example.com:7233', namespace: 'mesh' });

  expect(commands.map(({ command }) => command)).toEqual([
    'TEMPORAL_ADDRESS=temporal.example.com:7233 TEMPORAL_NAMESPACE=mesh npx mesh status --tenant payments',
    'TEMPORAL_ADDRESS=temporal.example.com:7233 TEMPORAL_NAMESPACE=mesh npx mesh runs --rule r --tenant payments',
  ]);
});

test.each(['$(reboot)', "'; reboot #", '`reboot`', 'a\nreboot', '-n', '--all', 'a"b\\c', '*', '日本 🙂'])(
  'a shell takes the rule %j as one word',
  (rule) => {
    const [, , rearm] = commandsOfRun('id', rule, 'default', LOCAL);

    // The shell itself says which words it sees.
    const words = execFileSync('sh', ['-c', `printf '%s\\0' ${rearm?.command}`], { encoding: 'utf8' }).split('\0');
    const shown = rule.replace('\n', '\\u000a');
    expect(words.slice(0, -1)).toEqual(['npx', 'mesh', 'rearm', ...(rule.startsWith('-') ? ['--'] : []), shown]);
  },
);
