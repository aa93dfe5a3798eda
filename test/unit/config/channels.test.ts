import { describe, expect, test } from 'vitest';
import { parseMeshConfig } from '#config/mesh-config.js';
import { formatProblem } from '#contract/text/problem.js';

function problemsOf(channel: unknown, names = ['ada', 'bob']): string[] {
  const members = names.map((name) => ({ name }));
  const parsed = parseMeshConfig(JSON.stringify({ teams: { ops: { members, channels: [channel] } } }), 'mesh.yaml');
  return parsed.ok ? [] : parsed.problems.map((problem) => formatProblem(problem).replace(/^mesh\.yaml:1: /, ''));
}

const AT = 'teams.ops.channels[0]';
const NO_SECRET = 'expected ${env:NAME} or ${file:path}, found a text';

describe('a channel', () => {
  test.each([
    { type: 'slack', webhook: '${env:SLACK}' },
    { type: 'slack', name: 'slack.eu', webhook: '${file:secrets/slack}' },
    { type: 'pagerduty', routingKey: '${env:PD}' },
    {
      type: 'pagerduty',
      routingKey: '${env:PD}',
      severity: 'info',
      resolveOn: ['tool', 'task'],
      url: 'http://pd.test/x',
    },
    { type: 'webhook', url: 'https://hooks.example.com/mesh?x=1', secret: '${env:S}' },
    {
      type: 'webhook',
      url: '${env:HOOK}',
      secret: '${env:S}',
      previousSecret: '${env:O}',
      token: '${env:T}',
      ca: '${file:c}',
    },
    { type: 'inbox', folder: '~/.claude/teams' },
    { type: 'inbox', folder: 'teams', team: 'Red Team', from: 'on_call-bot' },
  ])('is taken: %j', (channel) => {
    expect(problemsOf(channel)).toEqual([]);
  });

  test.each([
    [{ type: 'teams' }, `${AT}.type: expected one of email, slack, pagerduty, webhook, inbox, found "teams"`],
    [{ type: 'slack' }, `${AT}.webhook: is missing: expected \${env:NAME} or \${file:path}`],
    [{ type: 'slack', webhook: 'https://hooks.slack.com/services/T/B/x' }, `${AT}.webhook: ${NO_SECRET}`],
    [{ type: 'pagerduty', routingKey: 'r'.repeat(32) }, `${AT}.routingKey: ${NO_SECRET}`],
    [
      { type: 'pagerduty', routingKey: '${env:PD}', severity: 'high' },
      `${AT}.severity: expected one of critical, error, warning, info, found a text`,
    ],
    [
      { type: 'pagerduty', routingKey: '${env:PD}', resolveOn: [] },
      `${AT}.resolveOn: expected task, tool or both, found an empty list`,
    ],
    [
      { type: 'pagerduty', routingKey: '${env:PD}', url: 'https://user:pass@pd.test/' },
      `${AT}.url: holds a user name or a password`,
    ],
    [
      { type: 'pagerduty', routingKey: '${env:PD}', url: 'https://pd.test/?access_token=hunter2' },
      `${AT}.url: holds what looks like a secret`,
    ],
    [{ type: 'webhook', url: 'https://hooks.example.com/', secret: 'whsec_c2VjcmV0' }, `${AT}.secret: ${NO_SECRET}`],
    [{ type: 'inbox', folder: '' }, `${AT}.folder: expected a folder, found an empty text`],
    [{ type: 'inbox', folder: 'a\0b' }, `${AT}.folder: holds a zero byte`],
    [
      { type: 'inbox', folder: 'teams', from: 'a" x="' },
      `${AT}.from: expected a sender: up to 60 letters, digits or _ -, found a text`,
    ],
  ])('is refused: %j', (channel, problem) => {
    expect(problemsOf(channel)).toEqual([problem]);
  });

  test.each([
    'ftp://hooks.example.com/',
    'hooks.example.com',
    '${env:}',
    'https://user:pass@hooks.example.com/',
    'https://hooks.example.com/?token=hunter2',
    ['https://hooks.slack.com', 'services', 'T0', 'B0', 'x'].join('/'),
    '',
  ])('is no webhook at %j, and what stands there is not repeated', (url) => {
    const [problem = '', ...others] = problemsOf({ type: 'webhook', url, secret: '${env:S}' });

    expect(others).toEqual([]);
    expect(problem).toBe(
      `${AT}.url: is not an http or https address without credentials, \${env:NAME} or \${file:path}`,
    );
  });
});

describe('members with an inbox', () => {
  const INBOX = { type: 'inbox', folder: 'teams' };

  test.each([
    [['a.b', 'a-b'], '"a.b" and "a-b" would share one inbox file'],
    [['Ada', 'ada'], '"Ada" and "ada" would share one inbox file'],
    [['日', '本'], '"日" and "本" would share one inbox file'],
    [['../x', 'b', '--/x', '...x'], '"../x" and "--/x" would share one inbox file'],
  ])('that would share a file are refused: %j', (names, problem) => {
    expect(problemsOf(INBOX, names)[0]).toContain(`members[${names.length === 4 ? 2 : 1}].name: ${problem}`);
  });

  test('are only so named where there are inboxes', () => {
    expect(problemsOf({ type: 'email' }, ['a.b', 'a-b'])).toEqual([]);
    expect(problemsOf(INBOX, ['a.b', 'a_b', 'a--b'])).toEqual([]);
  });
});
