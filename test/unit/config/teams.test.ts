import { describe, expect, test } from 'vitest';
import { parseMeshConfig } from '#config/mesh-config.js';
import { formatProblem } from '#contract/text/problem.js';

const MEMBERS = '{name: ada, email: ada@example.com}, {name: bob}';

function parse(content: string) {
  return parseMeshConfig(content, 'f');
}

function problemsIn(content: string): string[] {
  const parsed = parse(content);
  return parsed.ok ? [] : parsed.problems.map(formatProblem);
}

describe('a team', () => {
  const crowd = (count: number, channels: string) => {
    const members = Array.from({ length: count }, (_, index) => `{name: m${index}, email: m${index}@example.com}`);
    return `teams: {ops: {members: [${members.join(', ')}, {name: bob}], channels: ${channels}}}`;
  };

  test('may have as many members as make 100 deliveries of one message, and no more', () => {
    expect(problemsIn(crowd(100, '[{type: email}]'))).toEqual([]);
    expect(
      problemsIn(crowd(48, '[{type: email}, {type: inbox, folder: x}, {type: slack, webhook: "${env:S}"}]')),
    ).toEqual([]);
    expect(problemsIn(crowd(500, '[{type: slack, webhook: "${env:S}"}]'))).toEqual([]);
    expect(problemsIn(crowd(99, '[{type: email}, {type: slack, webhook: "${env:S}"}]'))).toEqual([]);
    expect(problemsIn(crowd(60, '[{type: email}, {type: inbox, folder: x}]'))).toEqual([
      'f:1: teams.ops.members: a message to this team is 121 deliveries, the most is 100 (use a channel of the team as a ' +
        'whole, such as a mailing list, slack or a webhook, or make several teams)',
    ]);
  });

  test('mails its members unless it says otherwise', () => {
    expect(parse(`teams: {ops: {members: [${MEMBERS}]}}`)).toMatchObject({
      ok: true,
      value: { teams: { ops: { channels: [{ type: 'email', name: 'email' }] } } },
    });
  });

  test('has channels in its own order, each with a name', () => {
    const channels = '[{type: email, name: pagers}, {type: email}]';

    expect(parse(`teams: {ops: {members: [${MEMBERS}], channels: ${channels}}}`)).toMatchObject({
      ok: true,
      value: {
        teams: {
          ops: {
            channels: [
              { type: 'email', name: 'pagers' },
              { type: 'email', name: 'email' },
            ],
          },
        },
      },
    });
  });

  test.each([
    ['no channel', '[]', 'f:1: teams.ops.channels: expected at least one channel, found an empty list'],
    [
      'two channels of one name',
      '[{type: email}, {type: email}]',
      'f:1: teams.ops.channels[1]: duplicate channel "email" (give one of them a name of its own)',
    ],
    [
      'a channel name that would not stand in records',
      '[{type: email, name: a/b}]',
      'f:1: teams.ops.channels[0].name: expected a channel name: up to 60 letters, digits or . _ -, found a text',
    ],
    [
      'a misspelt key of a channel',
      '[{type: email, nam: x}]',
      'f:1: teams.ops.channels[0].nam: unknown key "nam" (did you mean "name"?)',
    ],
  ])('with %s is refused', (_, channels, problem) => {
    expect(problemsIn(`teams: {ops: {members: [${MEMBERS}], channels: ${channels}}}`)).toEqual([problem]);
  });

  test('with a channel of a type that nobody knows is refused, with the types there are', () => {
    const [problem, ...others] = problemsIn(`teams: {ops: {members: [${MEMBERS}], channels: [{type: emial}]}}`);

    expect(problem).toMatch(/^f:1: teams\.ops\.channels\[0\]\.type: expected one of email, .*found "emial"/);
    expect(problem).toContain('did you mean "email"?');
    expect(others).toEqual([]);
  });
});

describe('notify', () => {
  test('tries quickly for five minutes, then every five minutes for a day, and sends no digests', () => {
    expect(parse('{}')).toMatchObject({
      ok: true,
      value: {
        notify: {
          fromName: 'Remediation Mesh',
          fromAddress: 'mesh@localhost.localdomain',
          digest: false,
          retry: { quickForMs: 300_000, slowEveryMs: 300_000, giveUpAfterMs: 86_400_000 },
        },
      },
    });
  });

  test('keeps what is not said of its retries', () => {
    expect(parse('notify: {digest: true, retry: {giveUpAfterMs: 1000}}')).toMatchObject({
      ok: true,
      value: { notify: { digest: true, retry: { quickForMs: 300_000, slowEveryMs: 300_000, giveUpAfterMs: 1_000 } } },
    });
  });

  test.each([
    [
      'no pause',
      'slowEveryMs: 0',
      'notify.retry.slowEveryMs: expected a whole number of milliseconds from 1 to 604800000',
    ],
    [
      'months',
      'giveUpAfterMs: 9999999999',
      'notify.retry.giveUpAfterMs: expected a whole number of milliseconds from 1 to',
    ],
  ])('refuses %s', (_, written, problem) => {
    expect(problemsIn(`notify: {retry: {${written}}}`)).toEqual([expect.stringContaining(problem) as string]);
  });
});
