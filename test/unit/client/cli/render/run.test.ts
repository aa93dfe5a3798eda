import { describe, expect, test } from 'vitest';
import { renderRun } from '#client/cli/render/run.js';
import { PLAIN_SCREEN } from '#client/cli/terminal/screen.js';
import { withStory } from '#test/support/fake-mesh.js';
import type { RemediationDetail } from '#contract/views/remediation.js';
import { anEvent } from '#test/support/builders.js';
import { aDetail, aRetried, NOW } from './samples.js';

type States = NonNullable<RemediationDetail['progress']>['actions'];

const UNKNOWN = 'started, its end is not known';

function lines(detail: Omit<RemediationDetail, 'story'>, isPayloadWhole = false): string[] {
  return renderRun(withStory(detail), isPayloadWhole, NOW, PLAIN_SCREEN).split('\n');
}

describe('renderRun', () => {
  test('shows the event, what each action has come to, what to do, and the payload', () => {
    expect(lines(aDetail())).toEqual([
      'Remediation of rule retry: failed',
      '',
      'Event        PostToolUseFailure failed, id e-1',
      'Tool         Bash',
      'Error        timeout ⏎ after 30 s',
      'Session      s-1',
      'Reported by  cli',
      'Happened     3 min ago (03:09:08 UTC)',
      'Started      3 min ago (03:09:09 UTC)',
      'Ended        2 min ago (03:09:21 UTC)',
      'Took         12 s',
      'Rules        version 2ab217c587c1',
      'Id           remediation/default/retry/e-1',
      'Run          run-1',
      '',
      'ACTION  STATUS    ATTEMPTS  WHAT IT CAME TO',
      'agent   failed           3  Fallback agent ended with exit code 7; see below',
      'tell    executed         1  Team notification sent',
      '',
      'agent:',
      '  output: one',
      '  two',
      '',
      'Next:',
      '  npx mesh retry remediation/default/retry/e-1   (runs again what was not done, with the same effect keys)',
      '  npx mesh why e-1   (why it fired)',
      '',
      'Payload:',
      '  {',
      '    "tool_name": "Bash",',
      '    "error": "timeout\\nafter 30 s"',
      '  }',
    ]);
  });

  test('shows no number of attempts where nobody knows it', () => {
    const reason = 'aborted between two attempts, or before the first';
    const state = { action: 'tell', type: 'notify_team', status: 'aborted', reason, attempts: 0 } as const;

    expect(lines(aDetail({ outcome: 'aborted', progress: { outcome: 'aborted', actions: [state] } }))).toContain(
      `tell    aborted         -  ${reason}`,
    );
  });

  test('tells until when capacity is kept', () => {
    const state: States[number] = {
      action: 'warm',
      type: 'warm_remote_capacity',
      status: 'executed',
      detail: 'Remote capacity warmed for environment env-1',
      attempts: 1,
      leaseUntilAt: Date.UTC(2026, 0, 2, 3, 4, 5),
    };

    const [, tell] = aDetail().actions;
    if (!tell) throw new Error('the sample has changed');
    const actions = [{ ...tell, name: 'warm' }];
    expect(lines(aDetail({ actions, progress: { outcome: 'executed', actions: [state] } }))).toContain(
      'warm    executed         1  Remote capacity warmed for environment env-1, kept until 2026-01-02 03:04:05 UTC at least',
    );
  });

  test('tells where in a chain it stands', () => {
    const reported = anEvent({ depth: 2, lineage: { root: 'e-0', parent: 'remediation/default/first/e-0' } });

    expect(lines(aDetail({ reported }))).toContain(
      'Chain        depth 2, began with event e-0, caused by remediation/default/first/e-0'.replace(
        'Chain        ',
        'Chain     ',
      ),
    );
  });

  test('of one that runs tells for how long, and how to abort it', () => {
    const { closedAt: _closedAt, progress: _progress, ...open } = aDetail();
    const shown = lines({ ...open, outcome: 'running' });

    expect(shown).toContain('Runs for     3 min');
    expect(shown).toContain('agent   not known         -  -');
    expect(shown).toContain('What its actions have come to is not known: no worker answers, or it was terminated.');
    expect(shown).toContain(
      '  npx mesh abort remediation/default/retry/e-1   (ends what runs, and starts nothing more)',
    );
  });

  test('of one that is being aborted says so, and does not offer that again', () => {
    const { closedAt: _closedAt, progress, ...open } = aDetail({ outcome: 'running', isAborting: true });
    const [waits, is] = [lines(open), lines({ ...open, ...(progress && { progress }) })];

    expect(waits).toContain('Its abort waits for a worker: what runs is ended then, and nothing more is started.');
    expect(is).toContain('It is being aborted.');
    for (const shown of [waits, is]) expect(shown.join('\n')).not.toContain('npx mesh abort');
  });

  test('of one that is done offers nothing to do but to ask why', () => {
    const shown = lines(aDetail({ outcome: 'executed' }));

    expect(shown.slice(shown.indexOf('Next:'), -4)).toEqual([
      'Next:',
      '  npx mesh why e-1   (why it fired)',
      '',
      'Payload:',
    ]);
  });

  test('of one that was started by hand says so, and does not offer to ask why', () => {
    const shown = lines(aDetail({ outcome: 'executed', isTry: true }));

    expect(shown[0]).toBe('Remediation of rule retry, started by hand: executed');
    expect(shown).not.toContain('Next:');
  });

  test('cuts a long reason on a terminal, and nowhere else', () => {
    const reason = `${'550 '.repeat(200)}end`;
    const agent = { action: 'agent', type: 'spawn_fallback_agent', status: 'failed', reason, attempts: 1 } as const;
    const detail = aDetail({ progress: { outcome: 'failed', actions: [agent] } });

    expect(renderRun(detail, false, NOW, PLAIN_SCREEN)).toContain('550 end\n');
    expect(renderRun(detail, false, NOW, { ...PLAIN_SCREEN, width: 80 })).not.toContain('550 end');
  });

  test('cuts a long payload, and says how to see it whole', () => {
    const detail = aDetail({ reported: anEvent({ payload: { list: Array.from({ length: 100 }, (_, n) => n) } }) });

    const cut = lines(detail);
    const whole = lines(detail, true);

    expect(cut.slice(cut.indexOf('Payload:')).length).toBe(22);
    expect(cut.at(-1)).toMatch(/^ {2}… cut; --payload shows all \d+ characters$/);
    expect(whole.slice(whole.indexOf('Payload:')).length).toBe(105);
    expect(whole.at(-1)).toBe('  }');
  });

  test('cuts a payload of one long line too', () => {
    const shown = lines(aDetail({ reported: anEvent({ truncated: true, payload: { text: 'x'.repeat(9_000) } }) }));

    expect(shown).toContain('Payload (long texts were cut when it was reported):');
    expect(shown.join('\n').length).toBeLessThan(4_000);
    expect(shown.at(-1)).toContain('--payload shows all');
  });

  test('shows the end of a long output', () => {
    const detail = aDetail();
    const [agent, tell] = detail.progress?.actions ?? [];
    if (!agent || !tell || !('attempts' in agent)) throw new Error('the sample has changed');
    const output = Array.from({ length: 40 }, (_, n) => `line ${n}`).join('\n');

    const shown = lines({ ...detail, progress: { outcome: 'failed', actions: [{ ...agent, detail: output }, tell] } });

    expect(shown).toContain('  … 28 lines before');
    expect(shown).not.toContain('  line 27');
    expect(shown).toContain('  line 28');
    expect(shown).toContain('  line 39');
  });

  test('shows the launchers that were tried, and what became of the agent', () => {
    const detail = aDetail({ outcome: 'running' });
    detail.progress = {
      outcome: 'running',
      actions: [
        {
          action: 'agent',
          type: 'spawn_fallback_agent',
          status: 'running',
          doing: { is: 'waiting-for-end', agent: 'agent run-7', untilAt: NOW },
          launches: [
            { launcher: 'claude', status: 'failed', reason: 'exit code 7', attempts: 2, lastWords: 'out of\ncredit' },
          ],
          agent: { launcher: 'api', id: 'run-7', session: 's-7', outcome: 'running', outputTail: 'so far\nso good' },
        },
        { action: 'tell', type: 'notify_team', status: 'waiting' },
      ],
    };

    const shown = lines(detail);

    expect(shown).toContain('agent   running         -  agent run-7 has until 2026-01-31 03:12:09 UTC to end');
    expect(shown.slice(shown.indexOf('agent:'), shown.indexOf('Next:') - 1)).toEqual([
      'agent:',
      '  launcher claude: failed after 2 attempts: exit code 7; said at the end: out of ⏎ credit',
      '  agent run-7 of launcher api, session s-7: at work',
      '  it said at the end:',
      '  so far',
      '  so good',
    ]);
  });

  test('says of an action with a condition what it is, also before it is its turn to wait', () => {
    const waiting = { type: 'notify_team', status: 'waiting' } as const;
    const [agent, tell] = aDetail().actions;
    if (!agent || !tell) throw new Error('the sample has changed');
    const actions = [agent, { ...tell, onlyIf: 'failed' as const, after: 'agent' }];
    const shown = (...states: States) =>
      lines(aDetail({ outcome: 'running', actions, progress: { outcome: 'running', actions: states } }));

    expect(shown({ ...waiting, action: 'tell' })).toContain('tell    waiting         -  runs only if agent fails');
    expect(shown({ ...waiting, action: 'agent' })).toContain('agent   waiting         -  -');
    expect(shown({ ...waiting, action: 'tell', status: 'running' })).toContain('tell    running         -  -');
  });

  test.each([
    ['terminated', 'was terminated'],
    ['timed-out', 'ran out of time'],
  ] as const)('says of actions that were cut off that they are not at it any more: %s', (outcome, how) => {
    const states: States = [
      { action: 'agent', type: 'spawn_fallback_agent', status: 'running' },
      { action: 'tell', type: 'notify_team', status: 'waiting' },
    ];

    const shown = lines(aDetail({ outcome, progress: { outcome: 'running', actions: states } })).join('\n');

    expect(shown).toContain(`not known         -  it ran when the remediation ${how}; what became of it is not known`);
    expect(shown).toContain(`skipped           -  not started: the remediation ${how} before`);
    expect(shown).not.toMatch(/running|waiting/);
  });

  test.each<[string, Partial<RemediationDetail>, object, string]>([
    ['while a worker is with it', {}, {}, 'at work'],
    [
      'while it is known since when',
      { agentAtWork: { action: 'agent', sinceAt: NOW - 60_000, untilAt: NOW + 540_000 } },
      {},
      'at work since 03:11:09 UTC, until 03:21:09 UTC at most',
    ],
    ['once nobody waits for its end', {}, { status: 'executed', attempts: 1 }, UNKNOWN],
    ['between two attempts', { retrying: [aRetried({ action: 'agent' })] }, {}, UNKNOWN],
    ['while its launcher puts it off', {}, { doing: { is: 'waiting-to-retry', reason: 'no answer' } }, UNKNOWN],
    ['of a remediation that was terminated', { outcome: 'terminated' }, {}, UNKNOWN],
  ])('says how an agent stands %s', (_when, overrides, state, said) => {
    const agent = { launcher: 'claude', session: 's-7', outcome: 'running' } as const;
    const open = { action: 'agent', type: 'spawn_fallback_agent', status: 'running', agent, ...state } as const;
    const detail = aDetail({ outcome: 'running', progress: { outcome: 'running', actions: [open] }, ...overrides });

    expect(lines(detail)).toContain(`  agent of launcher claude, session s-7: ${said}`);
  });

  test.each(['running', 'timeout'] as const)('says what is known of one that no answer came of: %s', (outcome) => {
    const agent = { launcher: 'api', session: 's-7', outcome, mayNotExist: true } as const;
    const state = { action: 'agent', type: 'spawn_fallback_agent', status: 'failed', attempts: 1, agent } as const;
    const detail = aDetail({ outcome: 'failed', progress: { outcome: 'failed', actions: [state] } });

    const said = 'may have been started, its end is not known';
    expect(lines(detail)).toContain(`  agent of launcher api, session s-7: ${said}`);
  });

  test.each<[string, { agentType?: string; first?: string }, boolean]>([
    ['when the agent type has no launcher', { agentType: 'frist' }, true],
    ['not when the rule names no agent type', {}, false],
    ['not when it asks for that one', { agentType: 'default' }, false],
    ['not when it was tried in place of the first', { agentType: 'frist', first: 'frist' }, false],
  ])('says that the default launcher was taken %s', (_when, { agentType, first }, isSaid) => {
    const [plan] = aDetail().actions;
    if (!plan) throw new Error('the sample has changed');
    const spawn = { ...plan, type: 'spawn_fallback_agent' as const, await: 'launched' as const };
    const launches = first === undefined ? [] : [{ launcher: first, status: 'failed' as const, attempts: 1 }];
    const agent = { launcher: 'default', outcome: 'success' as const };
    const state = { action: 'agent', type: spawn.type, status: 'executed', attempts: 1, launches, agent } as const;
    const shown = lines(
      aDetail({
        actions: [{ ...spawn, ...(agentType !== undefined && { agentType }) }],
        progress: { outcome: 'executed', actions: [state] },
      }),
    );

    expect(shown.includes('  launcher default was taken, since mesh.yaml had none for frist')).toBe(isSaid);
    expect(shown).toContain('  agent of launcher default: ended well');
  });

  test('shows every delivery, those that went wrong first', () => {
    const detail = aDetail();
    const ofBob = { delivery: 'email/bob', channel: 'email', recipient: 'bob', attempts: 25 };
    const ofAda = { delivery: 'email/ada', channel: 'email', recipient: 'ada', attempts: 1 };
    detail.progress = {
      outcome: 'failed',
      actions: [
        {
          action: 'tell',
          type: 'notify_team',
          status: 'failed',
          reason: 'not delivered to bob by email: 451',
          attempts: 25,
          deliveries: [
            { ...ofAda, status: 'delivered', attempts: 2, detail: 'mailed', error: '421 later' },
            { ...ofBob, status: 'failed', error: '451 try\nlater' },
            { ...ofAda, delivery: 'email/eve', recipient: 'eve', status: 'written' },
          ],
        },
      ],
    };

    const shown = lines(detail);

    expect(shown.slice(shown.indexOf('tell:'), shown.indexOf('Next:') - 1)).toEqual([
      'tell:',
      '  email/bob: failed after 25 attempts: 451 try ⏎ later',
      '  email/eve: written to a file',
      '  email/ada: delivered after 2 attempts, before that: 421 later',
    ]);
  });

  test('tells of what is tried again why it failed and when it is tried next', () => {
    const detail = aDetail({
      outcome: 'running',
      progress: {
        outcome: 'running',
        actions: [
          { action: 'agent', type: 'spawn_fallback_agent', status: 'running' },
          { action: 'tell', type: 'notify_team', status: 'running', doing: { is: 'writing' } },
        ],
      },
      retrying: [
        aRetried({ action: 'agent', state: 'running', attempt: 2, lastError: 'no route\nto host' }),
        aRetried({ action: 'tell', delivery: 'slack/ops', attempt: 4, lastError: 'Slack answered 503' }),
        aRetried({ action: 'tell', delivery: 'email/bob', attempt: 3, state: 'queued', lastError: '451' }),
        aRetried({ action: 'tell', delivery: 'email/ada', attempt: 2, state: 'paused', lastError: '452' }),
        aRetried({ action: 'tell', delivery: 'email/eve', attempt: 2, nextAt: NOW - 1, lastError: '453' }),
      ],
    });

    const shown = lines(detail);

    expect(shown).toContain('agent   running         2  -');
    expect(shown).toContain('tell    running         3  writes the message');
    expect(shown.slice(shown.indexOf('agent:'), shown.indexOf('Next:') - 1)).toEqual([
      'agent:',
      '  do it: attempt 1 failed: no route ⏎ to host; attempt 2 runs',
      '',
      'tell:',
      '  slack/ops: attempt 3 failed: Slack answered 503; attempt 4 in 25 s',
      '  email/bob: attempt 2 failed: 451; attempt 3 waits for a worker',
      '  email/ada: attempt 1 failed: 452; attempt 2 is paused in Temporal',
      '  email/eve: attempt 1 failed: 453; attempt 2 is due',
    ]);
  });

  test('tells what is tried again also when no worker answers, and when it is part of no action', () => {
    const { progress: _progress, ...unknown } = aDetail({ outcome: 'running' });
    const shown = lines({
      ...unknown,
      retrying: [
        aRetried({ action: 'tell', delivery: 'slack/ops', lastError: '503' }),
        aRetried({ doing: 'give back', lastError: '504' }),
      ],
    });

    expect(shown).toContain('tell    not known         1  -');
    expect(shown).toContain('  slack/ops: attempt 1 failed: 503; attempt 2 in 25 s');
    expect(shown.slice(shown.indexOf('Being tried again:')).slice(0, 2)).toEqual([
      'Being tried again:',
      '  give back: attempt 1 failed: 504; attempt 2 in 25 s',
    ]);
  });

  test('cuts what is tried again on a terminal: a long reason, and many of them', () => {
    const retrying = Array.from({ length: 25 }, (_, n) =>
      aRetried({ action: 'tell', delivery: `slack/${n}`, lastError: `${'503 '.repeat(200)}end` }),
    );
    const { progress: _progress, ...unknown } = aDetail({ outcome: 'running' });
    const shown = renderRun(withStory({ ...unknown, retrying }), false, NOW, { ...PLAIN_SCREEN, width: 80 });

    expect(shown).not.toContain('503 end');
    expect(shown).toContain('  slack/19: attempt 1 failed: 503');
    expect(shown).not.toContain('slack/20');
    expect(shown).toContain('  … and 5 more, see --json');
  });

  test('obeys no text of the event or of an agent', () => {
    const evil = '\u001b[2J\u202e\u0007';
    const retried = aRetried({ doing: evil, lastError: evil });
    const detail = aDetail({
      rule: `r${evil}`,
      retrying: [retried, { ...retried, action: 'open' }, { ...retried, action: 'open', delivery: evil }],
      reported: anEvent({ session: evil, source: evil, payload: { tool_name: evil, error: evil, [evil]: evil } }),
      progress: {
        outcome: 'failed',
        actions: [
          {
            action: evil,
            type: 'notify_team',
            status: 'failed',
            reason: evil,
            detail: `${evil}\n${evil}`,
            attempts: 1,
            launches: [{ launcher: evil, status: 'failed', reason: evil, attempts: 1, lastWords: evil }],
            agent: { launcher: evil, id: evil, session: evil, outcome: 'failed', outputTail: `${evil} tail\n${evil}` },
            deliveries: [
              { delivery: evil, channel: evil, recipient: evil, status: 'failed', attempts: 1, error: evil },
            ],
          },
          { action: 'open', type: 'notify_team', status: 'running' },
        ],
      },
    });

    expect(lines(detail, true).join('\n')).not.toMatch(/[\u001b\u202e\u0007]/);
  });
});
