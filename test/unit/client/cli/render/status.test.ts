import { describe, expect, test } from 'vitest';
import { renderStatus, type StatusFacts } from '#client/cli/render/status.js';
import { PAINT, PLAIN_SCREEN } from '#client/cli/terminal/screen.js';
import type { WatchStatus } from '#contract/watch.js';
import { textWidth } from '#client/cli/terminal/text-width.js';
import { aFire, aRetried, aSkip, aStatus, aSummary, NOW } from './samples.js';

const NONE = { remediations: [], more: false };

const NO_DEAD = { dead: [], more: false };
const NO_LEASES = { leases: [], more: false };

function lines(facts: Partial<StatusFacts>, screen = PLAIN_SCREEN): string[] {
  const quiet: StatusFacts = {
    status: aStatus(),
    log: [],
    running: NONE,
    failed: NONE,
    leases: NO_LEASES,
    gaveUp: NO_DEAD,
  };
  return renderStatus({ ...quiet, ...facts }, NOW, screen).split('\n');
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

  test('in a narrow terminal keeps rules and verdicts whole', () => {
    const log = [
      aFire('retry-failed-tool', 'agent', { eventId: 'd1176a09-3f24-4e1d-9f02-4c530459eb72' }),
      aSkip('shadow', 'would fire', { rule: 'trial', eventId: 'd1176a09-3f24-4e1d-9f02-4c530459eb72' }),
    ];

    expect(lines({ ...BUSY, log }, { ...PLAIN_SCREEN, width: 80 }).slice(8)).toEqual([
      'RULE               FIRED  LAST FIRED  SUPPRESSED           COOLING UNTIL',
      'retry-failed-tool      3  2 min ago   4 cooldown, 1 dedup  in 10 s session=s-1',
      '                                                           in 20 s session=s-2',
      '                                                           in 30 s session=s-3',
      '                                                           and 2 more,',
      '                                                           the last in 50 s',
      'trial                  0  never       2 shadow             in 60 min',
      '',
      'LAST EVENTS  ID                                    VERDICT',
      '3 min ago    d1176a09-3f24-4e1d-9f02-4c530459eb72  retry-failed-tool: fire;',
      '                                                   trial: shadow',
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

  test('shows what is wrong with the configuration, since when, and what is in use meanwhile', () => {
    const configTrouble = {
      source: 'config/mesh.yaml',
      problems: ['config/mesh.yaml:3: teams.on-call: expected an object\u001b[2J'],
      hasGoodVersion: true,
      sinceAt: NOW - 240_000,
      seenAt: NOW - 10_000,
    };

    expect(lines({ status: aStatus({ configTrouble }) }).slice(0, 6)).toEqual([
      'Tenant default: watching',
      'The configuration cannot be used as it is. The last good version stays in use.',
      '  config/mesh.yaml:3: teams.on-call: expected an object\\u001b[2J',
      'A worker saw it first 4 min ago (03:08:09 UTC), last 10 s ago (03:11:59 UTC). It looks with every event.',
      'When it is mended: npx mesh check config/mesh.yaml',
      '',
    ]);
    expect(lines({ status: aStatus({ configTrouble: { ...configTrouble, hasGoodVersion: false } }) })[1]).toBe(
      'The configuration cannot be used as it is. No version before it was good: actions wait until it is mended.',
    );
  });

  test('tells of windows that had to go', () => {
    const guards = { ...aStatus().guards, evicted: 7 };

    expect(lines({ status: aStatus({ guards }) })).toContain(
      '              7 dropped before their time: the state of the watch grew too large',
    );
  });

  test('tells of what nobody will be told any more', () => {
    expect(lines({ status: aStatus({ dropped: { messages: 0, alerts: 0 } }) }).join('\n')).not.toContain('Dropped');
    expect(lines({ status: aStatus({ dropped: { messages: 2, alerts: 1 } }) }).slice(4, 6)).toEqual([
      'Windows       0 cooldown, 0 dedup armed',
      'Dropped       2 messages that waited',
    ]);
    expect(lines({ status: aStatus({ dropped: { messages: 0, alerts: 3 } }) })).toContain(
      'Dropped       3 open alerts, which people must resolve at the receiver',
    );
  });

  test('tells of alerts that are open: since when, for which rule, at whom, and what ends them', () => {
    const alert = { rule: 'retry-failed-tool', team: 'on-call', channel: 'pager', openedAt: NOW - 600_000 };
    const resolvedWhen = 'the cooldown of the rule ends, 2026-01-31 03:13:09 UTC';
    const alerts: WatchStatus['alerts'] = [
      { ...alert, task: 'T\u001b[2J' },
      { ...alert, openedAt: NOW - 60_000, tool: 'Edit', worksAgain: true, resolvedWhen },
    ];

    expect(lines({ status: aStatus({ alerts }) }).slice(-3)).toEqual([
      'OPEN ALERTS  RULE               AT             HOW LONG',
      '60 s ago     retry-failed-tool  on-call/pager  works again, resolved when the cooldown of the rule ends, 2026-01-31 03:13:09 UTC',
      '10 min ago   retry-failed-tool  on-call/pager  until task "T\\u001b[2J" succeeds',
    ]);
    expect(lines({ status: aStatus({ alerts }) }, { ...PLAIN_SCREEN, width: 80 }).slice(-5)).toEqual([
      'OPEN ALERTS  RULE               AT             HOW LONG',
      '60 s ago     retry-failed-tool  on-call/pager  works again, resolved when the',
      '                                               cooldown of the rule ends,',
      '                                               2026-01-31 03:13:09 UTC',
      '10 min ago   retry-failed-tool  on-call/pager  until task "T\\u001b[2J" succeeds',
    ]);
  });

  test('of many open alerts shows the last ones, and how many there are besides', () => {
    const alert = { rule: 'r', team: 'ops', channel: 'pager', openedAt: NOW - 60_000 };
    const alerts = Array.from({ length: 7 }, (_, n) => ({ ...alert, tool: `T-${n}` }));

    const shown = lines({ status: aStatus({ alerts }) }).slice(-6);

    expect(shown[0]).toContain('until tool T-6 succeeds');
    expect(shown[4]).toContain('until tool T-2 succeeds');
    expect(shown[5]).toBe('… and 2 more, see --json');
  });

  test('tells of capacity that is kept warm, and first of what is not given back', () => {
    const kept = { id: 'lease/mesh/a', runId: 'r', environment: 'a', startedAt: NOW - 600_000 };
    const failing = { ...kept, id: 'lease/mesh/gpu%20pool', environment: 'gpu pool', retrying: [aRetried()] };

    expect(lines({ leases: { leases: [kept, failing], more: false } }).slice(-3)).toEqual([
      'Leases        gpu pool since 03:02:09 UTC: lease/mesh/gpu%20pool',
      '                do it: attempt 1 failed: refused; attempt 2 in 25 s',
      '              a since 03:02:09 UTC: lease/mesh/a',
    ]);
    expect(lines({ leases: { leases: Array.from({ length: 7 }, () => kept), more: false } }).at(-1)).toBe(
      '              … and 2 more, see --json',
    );
  });

  test('says which rules are not in the rules any more, and leaves out those that no event has hit', () => {
    const ruleset = { hash: 'abc', source: 'rules.yaml', problems: [], ruleIds: ['trial', 'r'] };
    const shown = lines({ ...BUSY, status: { ...aStatus(BUSY.status), ruleset } });

    expect(shown.filter((line) => line.startsWith('retry-failed-tool  '))).toHaveLength(1);
    expect(shown).toContain('Not in the rules any more: retry-failed-tool');
    expect(shown.join('\n')).not.toContain('never-hit');
  });

  test('points to what else failed, which is not among the remediations', () => {
    const digest = { kind: 'notice' as const, id: 'digest/default/r/k/1', runId: 'r', tenant: 'default', rule: 'r' };
    const dead = [
      { ...digest, startedAt: NOW - 120_000, closedAt: NOW - 60_000, failed: [] },
      { ...digest, kind: 'lease' as const, id: 'lease/mesh/a', rule: '', startedAt: NOW - 180_000, failed: [] },
    ];

    expect(lines({ gaveUp: { dead, more: false } }).slice(-2)).toEqual([
      '              none failed in the last 24 h',
      'Also failed   1 message of the mesh itself and 1 lease in the last 24 h, the last one 60 s ago: npx mesh dead',
    ]);
    expect(lines({ gaveUp: { dead: dead.slice(1), more: true } }).at(-1)).toBe(
      'Also failed   1 lease or more in the last 24 h, the last one 3 min ago: npx mesh dead',
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
