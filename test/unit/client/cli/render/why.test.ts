import { describe, expect, test } from 'vitest';
import { renderWhy } from '#client/cli/render/why.js';
import { PLAIN_SCREEN } from '#client/cli/terminal/screen.js';
import type { EventExplanation } from '#client/explain-event.js';
import type { Judgement, LoggedVerdict } from '#contract/views/verdicts.js';
import { aDetail, aFire, aRetried, aSkip, aStatus, NOW } from './samples.js';

function lines(facts: Partial<EventExplanation>): string[] {
  const known = { eventId: 'e-1', judgement: judged(), remediations: [], status: aStatus(), knownRules: [] };
  return renderWhy({ ...known, ...facts }, NOW, PLAIN_SCREEN).split('\n');
}

function judged(...verdicts: LoggedVerdict[]): Judgement {
  return { state: 'judged', verdicts };
}

describe('renderWhy', () => {
  test('tells of each rule what it did, what came of it, and what the others missed on', () => {
    const verdicts = [
      aFire('retry', 'agent', {
        missed: [
          { rule: 'other-tools', reason: 'toolNames found "Bash", wants Edit' },
          { rule: 'failed-task', reason: 'trigger wants TaskCompleted' },
        ],
      }),
      aFire('retry', 'tell'),
      aSkip('disabled', 'action disabled', { rule: 'retry', action: 'warm' }),
      aSkip('cooldown', 'rule cooldown active for 190000ms', { rule: 'tell-all', action: 'a', untilAt: NOW + 10_000 }),
      aSkip('cooldown', 'rule cooldown active for 190000ms', { rule: 'tell-all', action: 'b', untilAt: NOW + 10_000 }),
    ];

    const window = { rule: 'tell-all', untilAt: NOW + 10_000 };
    expect(
      lines({
        judgement: judged(...verdicts),
        status: aStatus({ guards: { ...aStatus().guards, cooldowns: [window], live: { cooldowns: 1, dedups: 0 } } }),
        remediations: [aDetail()],
        knownRules: ['retry', 'tell-all', 'other-tools', 'failed-task', 'a-new-one'],
      }),
    ).toEqual([
      'Event e-1 (PostToolUseFailure), tenant default',
      '',
      'Judged 3 min ago (03:09:09 UTC):',
      '',
      'Rule retry: fired',
      '  agent  fire',
      '  tell   fire',
      '  warm   skip disabled: action disabled',
      '  This action has `enabled: false` in the rules.',
      '  Its remediation was started 3 min ago (03:09:09 UTC), took 12 s: failed',
      '    agent  failed after 3 attempts: Fallback agent ended with exit code 7; output: one ⏎ two',
      '    tell   executed: Team notification sent',
      '  To act: npx mesh retry remediation/default/retry/e-1   (runs again what was not done, with the same effect keys)',
      '  More:   npx mesh show remediation/default/retry/e-1',
      '',
      'Rule tell-all: matched, and nothing fired',
      '  every action  skip cooldown: rule cooldown active for 190000ms',
      '  A firing shortly before began this window. It ends in 10 s (03:12:19 UTC). To end it now: npx mesh rearm tell-all',
      '',
      'Rules that did not look at it:',
      '  other-tools  toolNames found "Bash", wants Edit',
      '  failed-task  trigger wants TaskCompleted',
      '  Not listed, for lack of room or because they are newer: a-new-one',
    ]);
  });

  test('does not call a rule newer that is not in the rules any more', () => {
    const verdict = aFire('retry', 'agent', { missed: [{ rule: 'other', reason: 'trigger wants Stop' }] });
    const ruleset = { hash: 'abc', source: 'rules.yaml', problems: [], ruleIds: ['retry', 'other', 'new'] };
    const knownRules = ['retry', 'other', 'new', 'old'];

    expect(lines({ judgement: judged(verdict), status: aStatus({ ruleset }), knownRules }).slice(-2)).toEqual([
      '  Not listed, for lack of room or because they are newer: new',
      '  Not in the rules any more: old',
    ]);
  });

  test('tells of an event that no rule looks at what each rule missed on, and of a slip in its name', () => {
    const missed = [{ rule: 'retry', reason: 'trigger wants PostToolUseFailure' }];
    const verdict = aSkip('no-match', 'no rule matches: retry: …', { event: 'PostToolUsFailure', depth: 1, missed });

    expect(lines({ judgement: judged(verdict), knownRules: ['retry'] })).toEqual([
      'Event e-1 (PostToolUsFailure, depth 1), tenant default',
      '',
      'Judged 3 min ago (03:09:09 UTC):',
      '',
      'No rule looks at this event.',
      '  Beware: no runtime known to the mesh sends "PostToolUsFailure" (did you mean "PostToolUseFailure"?). To try an edit of the rules without a server: npx mesh simulate --explain --rules config/rules.yaml --events <file>',
      '',
      'Rules that did not look at it:',
      '  retry  trigger wants PostToolUseFailure',
    ]);
  });

  test('gives the reason in one line when there is no list of misses', () => {
    const verdict = aSkip('no-match', 'the ruleset has no rules');

    expect(lines({ judgement: judged(verdict) })).toContain('  the ruleset has no rules');
  });

  test('tells of an event that was refused as a whole, and what to do', () => {
    const verdict = aSkip('paused', 'tenant is paused: deploy');

    expect(lines({ judgement: judged(verdict) }).slice(4)).toEqual([
      'The whole event: skipped',
      '  skip paused: tenant is paused: deploy',
      '  The tenant was paused then, and is not any more. What was skipped stays skipped: report it again under another id.',
    ]);
    expect(lines({ judgement: judged(verdict), status: aStatus({ paused: { sinceAt: NOW } }) }).at(-1)).toBe(
      '  The tenant is still paused. To go on: npx mesh resume. Then report it again under another id.',
    );
  });

  test('counts copies, also those that the log has folded into one entry', () => {
    const copy = aSkip('duplicate', 'event id already seen', { times: 3, at: NOW - 60_000 });

    expect(lines({ judgement: judged(aFire('retry', 'tell'), copy) }).at(-1)).toBe(
      'Reported again 3 times, the last 60 s ago (03:11:09 UTC): skipped as duplicate, nothing was done twice.',
    );
  });

  test('shows one judging after another when the first could not be had', () => {
    const verdicts = [
      aSkip('error', 'could not be matched: disk on fire', { at: NOW - 300_000 }),
      aFire('retry', 'tell', { at: NOW - 60_000 }),
    ];

    const shown = lines({ judgement: judged(...verdicts) });

    expect(shown.filter((line) => line.startsWith('Judged'))).toEqual([
      'Judged 5 min ago (03:07:09 UTC):',
      'Judged 60 s ago (03:11:09 UTC):',
    ]);
    expect(shown).toContain(
      '  It was not judged. When what the reason says is mended, report it again with the same id.',
    );
  });

  test('says of rules that were not judged that they were not, and does not call the whole event skipped', () => {
    const reason = '50 rules fired for this event, the most that one event may fire; not judged: 7 more';

    const shown = lines({ judgement: judged(aFire('retry', 'tell'), aSkip('rule-limit', reason)) });

    const at = shown.indexOf('Rules that come later: not judged');
    expect(shown.slice(at, at + 3)).toEqual([
      'Rules that come later: not judged',
      `  skip rule-limit: ${reason}`,
      '  Rules that come first in the file go first. Narrow what they look at, or put their actions together: `npx mesh check` counts them.',
    ]);
    expect(shown.join()).not.toContain('The whole event');
  });

  test('tells of a remediation that runs what waits, and how to abort it', () => {
    const remediation = aDetail({
      outcome: 'running',
      progress: {
        outcome: 'running',
        actions: [
          { action: 'agent', type: 'spawn_fallback_agent', status: 'running' },
          { action: 'tell', type: 'notify_team', status: 'waiting' },
        ],
      },
    });

    expect(lines({ judgement: judged(aFire('retry', 'agent')), remediations: [remediation] }).slice(4)).toEqual([
      'Rule retry: fired',
      '  agent  fire',
      '  Its remediation was started 3 min ago (03:09:09 UTC): running',
      '    agent  running',
      '    tell   waiting',
      '  To act: npx mesh abort remediation/default/retry/e-1   (ends what runs, and starts nothing more)',
      '  More:   npx mesh show remediation/default/retry/e-1',
    ]);
  });

  test('tells of a remediation that runs what is tried again, below its action', () => {
    const remediation = aDetail({
      outcome: 'running',
      actions: aDetail().actions.filter(({ name }) => name === 'tell'),
      progress: {
        outcome: 'running',
        actions: [{ action: 'tell', type: 'notify_team', status: 'running', doing: { is: 'writing' } }],
      },
      retrying: [
        aRetried({ action: 'tell', delivery: 'slack/ops', attempt: 4, lastError: 'Slack answered 503' }),
        aRetried({ doing: 'give back', lastError: '504' }),
      ],
    });

    expect(lines({ judgement: judged(aFire('retry', 'tell')), remediations: [remediation] }).slice(6, -2)).toEqual([
      '  Its remediation was started 3 min ago (03:09:09 UTC): running',
      '    tell  running: writes the message',
      '          slack/ops: attempt 3 failed: Slack answered 503; attempt 4 in 25 s',
      '  Being tried again:',
      '    give back: attempt 1 failed: 504; attempt 2 in 25 s',
    ]);
  });

  test('tells of a fire whose remediation is not there yet, or not any more', () => {
    const { remediation, ...starting } = aFire('retry', 'tell');

    expect(lines({ judgement: judged(starting) }).at(-1)).toBe(
      '  Its remediation is being started: ask again in a moment.',
    );
    expect(lines({ judgement: judged({ ...starting, remediation }) }).at(-1)).toBe(
      '  Started remediation/default/retry/e-1, of which the server has nothing any more: it keeps what is closed for a time only.',
    );
  });

  test('an event that waits is judged soon, or once the rules can be read', () => {
    const judgement: Judgement = { state: 'waiting', verdicts: [] };
    const held = { events: 1, sinceAt: NOW - 5_000, problems: ['config/rules.yaml: file not found'] };

    expect(lines({ judgement }).slice(2)).toEqual(['It is stored and waits to be judged. Ask again in a moment.']);
    expect(lines({ judgement, status: aStatus({ held }) }).slice(2)).toEqual([
      'It is stored and waits: the rules cannot be read since 5 s ago (03:12:04 UTC).',
      '  config/rules.yaml: file not found',
      'Nothing is lost: it is judged by itself once they can be read. To check an edit: npx mesh check config/rules.yaml',
    ]);
  });

  test('of an event whose verdicts are forgotten it tells what is found all the same', () => {
    const judgement: Judgement = { state: 'forgotten', verdicts: [] };

    expect(lines({ judgement, remediations: [aDetail({ outcome: 'executed' })] }).slice(2, 6)).toEqual([
      'It was judged, but its verdicts are no longer kept: a watch remembers its last 200.',
      '',
      'Rule retry fired for it:',
      '  Its remediation was started 3 min ago (03:09:09 UTC), took 12 s: executed',
    ]);
    expect(lines({ judgement, knownRules: ['retry', 'tell-all'] }).slice(4)).toEqual([
      'No remediation was found for it, or the server does not keep it any more. Looked for remediations of: retry, tell-all.',
      'What the rules do now: npx mesh status',
    ]);
  });

  test('of an event of which only copies are left in the log it says so', () => {
    const copy = aSkip('duplicate', 'event id already seen');

    expect(lines({ judgement: judged(copy) }).filter((line) => line !== '')).toEqual([
      'Event e-1 (PostToolUseFailure), tenant default',
      'It was judged, but its verdicts are no longer kept: a watch remembers its last 200.',
      'No remediation was found for it, or the server does not keep it any more.',
      'What the rules do now: npx mesh status',
      'Reported again 1 time, the last 3 min ago (03:09:09 UTC): skipped as duplicate, nothing was done twice.',
    ]);
  });

  test('of an event that nobody knows it tells where to look', () => {
    const judgement: Judgement = { state: 'unknown', verdicts: [] };

    expect(lines({ judgement, status: aStatus({ tenant: 'team-a' }) })).toEqual([
      'Event e-1, tenant team-a',
      '',
      'The watch of this tenant has not seen it, or so long ago that it forgot.',
      '',
      'No remediation was found for it, or the server does not keep it any more.',
      'What to do:',
      '  Compare the id with the one that `mesh send` printed, or with the log of who reported it.',
      '  Ask another tenant: npx mesh why --tenant <name> e-1',
      '  See whether it still lies in the spool of the machine that reported it: npx mesh spool',
      '  Report it again with the same id: if it did arrive, it is recognised.',
    ]);
  });

  test('shows names of rules and actions as text, and quotes them in commands', () => {
    const rule = `it's \u001b[2J`;
    const verdict = aSkip('dedup', 'dedup window active for 9000ms', { at: NOW, rule, action: 'x\ny' });
    // More windows than are listed, so that this one may be among them.
    const guards = { ...aStatus().guards, live: { cooldowns: 0, dedups: 2_000 } };

    const shown = lines({ judgement: judged(verdict), status: aStatus({ guards }) }).join('\n');

    expect(shown).not.toContain('\u001b');
    expect(shown).toContain(`npx mesh rearm 'it'\\''s \\u001b[2J'`);
    expect(shown).toContain('x\\u000ay');
  });
});
