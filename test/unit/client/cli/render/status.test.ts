import { describe, expect, test } from 'vitest';
import { renderStatus, type StatusFacts } from '../../../../../client/cli/render/status.js';
import { PAINT, PLAIN_SCREEN } from '../../../../../client/cli/terminal/screen.js';
import { textWidth } from '../../../../../client/cli/terminal/text-width.js';
import { aFire, aSkip, aStatus, aSummary, NOW } from './samples.js';

const NONE = { remediations: [], more: false };

function lines(facts: Partial<StatusFacts>, screen = PLAIN_SCREEN): string[] {
  return renderStatus({ status: aStatus(), log: [], running: NONE, failed: NONE, ...facts }, NOW, screen).split('\n');
}

const BUSY: Partial<StatusFacts> = {
  status: aStatus({
    counters: {
      events: 12,
      fired: 3,
      skipped: { cooldown: 4, 'no-match': 2 },
      rules: {
        'retry-failed-tool': { fired: 3, skipped: { cooldown: 4, dedup: 1 }, lastFiredAt: NOW - 120_000 },
        trial: { fired: 0, skipped: { shadow: 2 } },
      },
    },
    guards: {
      cooldowns: [
        { rule: 'retry-failed-tool', untilAt: NOW - 1, label: 'session=s-0' },
        ...[1, 2, 3, 4, 5].map((n) => ({
          rule: 'retry-failed-tool',
          untilAt: NOW + n * 10_000,
          label: `session=s-${n}`,
        })),
        { rule: 'trial', untilAt: NOW + 3_600_000 },
      ],
      dedups: [],
      live: { cooldowns: 6, dedups: 2 },
      evicted: 0,
      seenIds: 12,
    },
  }),
  log: [
    aFire('retry-failed-tool', 'agent', { missed: [{ rule: 'never-hit', reason: 'trigger wants Stop' }] }),
    aFire('retry-failed-tool', 'tell'),
    aSkip('shadow', 'shadow mode: would fire', { rule: 'trial', action: 'notify_team:0' }),
    aSkip('duplicate', 'event id already seen', { times: 3, at: NOW - 1_000 }),
    aSkip('no-match', 'no rule matches', { eventId: 'e-2', event: 'Stop', at: NOW - 60_000 }),
  ],
  running: { remediations: [aSummary({ outcome: 'running' })], more: false },
  failed: { remediations: [aSummary(), aSummary({ eventId: 'e-0' })], more: true },
};

describe('renderStatus', () => {
  test('tells of each rule what fired, what was suppressed and until when it is quiet', () => {
    expect(lines(BUSY)).toEqual([
      'Tenant default: watching',
      '',
      'Rules         config/rules.yaml, version 2ab217c587c1',
      'Events        12; rules fired 3 times; skipped: 4 cooldown, 2 no-match',
      'Windows       6 cooldown, 2 dedup armed',
      'Remediations  1 running: npx mesh runs --running',
      '              2 or more failed in the last 24 h, the last one 3 min ago: npx mesh runs --failed',
      '',
      'RULE               FIRED  LAST FIRED                SUPPRESSED           COOLING UNTIL',
      'retry-failed-tool      3  2 min ago (03:10:09 UTC)  4 cooldown, 1 dedup  in 10 s (03:12:19 UTC) session=s-1',
      '                                                                         in 20 s (03:12:29 UTC) session=s-2',
      '                                                                         in 30 s (03:12:39 UTC) session=s-3',
      '                                                                         and 2 more, the last in 50 s (03:12:59 UTC)',
      'trial                  0  never                     2 shadow             in 60 min (04:12:09 UTC)',
      'never-hit              0  never hit                 -                    -',
      '',
      'LAST EVENTS  NAME                ID   VERDICT',
      '1 s ago      PostToolUseFailure  e-1  duplicate (3 times)',
      '60 s ago     Stop                e-2  no-match',
      '3 min ago    PostToolUseFailure  e-1  retry-failed-tool: fire; trial: shadow',
    ]);
  });

  test.each([80, 100, 120])('fits a terminal of %i columns', (width) => {
    const inTables = lines(BUSY, { ...PLAIN_SCREEN, width }).slice(8);

    for (const line of inTables) expect(textWidth(line)).toBeLessThanOrEqual(width);
  });

  test('of a tenant that has judged nothing says so', () => {
    expect(lines({ status: aStatus({ ruleset: null }) })).toEqual([
      'Tenant default: watching',
      '',
      'Rules         not read yet: no event was judged',
      'Events        0; rules fired 0 times',
      'Windows       0 cooldown, 0 dedup armed',
      'Remediations  none running',
      '              none failed in the last 24 h',
    ]);
  });

  test('says first that a tenant is paused, since when, why, and how to go on', () => {
    const paused = { sinceAt: NOW - 240_000, reason: 'deploy\u001b[2J' };

    expect(lines({ status: aStatus({ tenant: 'team-a', paused }) }).slice(0, 2)).toEqual([
      'Tenant team-a: paused since 03:08:09 UTC, 4 min ago: deploy\\u001b[2J',
      'Every event is skipped. To go on: npx mesh resume --tenant team-a',
    ]);
  });

  test('says that events are held, and by what', () => {
    const held = { events: 1, sinceAt: NOW - 5_000, problems: ['rules.yaml: file not found'] };

    expect(lines({ status: aStatus({ held }) }).slice(0, 3)).toEqual([
      'Tenant default: holding 1 event since 03:12:04 UTC, 5 s ago',
      'The rules cannot be read. Nothing is lost: judging goes on by itself once they can.',
      '  rules.yaml: file not found',
    ]);
  });

  test('shows the mistakes of a newer file beside the version in use', () => {
    const problems = ['config/rules.yaml:18: rules[0].coolDownMs: unknown key "coolDownMs"'];
    const ruleset = { hash: 'abc', source: 'config/rules.yaml', problems };

    expect(lines({ status: aStatus({ ruleset }) }).slice(0, 5)).toEqual([
      'Tenant default: watching',
      'The rules file has changed and has mistakes. The last good version stays in use.',
      '  config/rules.yaml:18: rules[0].coolDownMs: unknown key "coolDownMs"',
      'When it is mended: npx mesh check config/rules.yaml',
      '',
    ]);
  });

  test('tells of windows that had to go', () => {
    const guards = { ...aStatus().guards, evicted: 7 };

    expect(lines({ status: aStatus({ guards }) })).toContain(
      '              7 dropped before their time: the state of the watch grew too large',
    );
  });

  test('takes a rule for what it is called, even like something every object has', () => {
    const log = [aSkip('no-match', 'none', { missed: [{ rule: 'constructor', reason: 'rule is disabled' }] })];

    expect(lines({ log })).toContain('constructor      0  never hit   -           -');
  });

  test('paints what somebody must look at', () => {
    const screen = { width: 120, paint: PAINT };

    expect(lines({ status: aStatus({ paused: { sinceAt: NOW } }) }, screen)[0]).toContain('\u001b[33mpaused\u001b[39m');
    expect(lines(BUSY, screen).join('\n')).toContain('\u001b[31m2 or more failed\u001b[39m');
  });
});
