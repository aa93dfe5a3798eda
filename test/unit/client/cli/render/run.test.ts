import { describe, expect, test } from 'vitest';
import { renderRun } from '../../../../../client/cli/render/run.js';
import { PLAIN_SCREEN } from '../../../../../client/cli/terminal/screen.js';
import type { RemediationDetail } from '../../../../../client/remediation-views.js';
import { anEvent } from '../../../../support/builders.js';
import { aDetail, NOW } from './samples.js';

function lines(detail: RemediationDetail, isPayloadWhole = false): string[] {
  return renderRun(detail, isPayloadWhole, NOW, PLAIN_SCREEN).split('\n');
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
    const detail = aDetail();
    detail.progress = {
      outcome: 'running',
      actions: [
        {
          action: 'agent',
          type: 'spawn_fallback_agent',
          status: 'running',
          note: 'agent run-7 has until then to end',
          launches: [{ launcher: 'claude', status: 'failed', reason: 'exit code 7', attempts: 2 }],
          agent: { launcher: 'api', id: 'run-7', session: 's-7', outcome: 'running', outputTail: 'so far\nso good' },
        },
        { action: 'tell', type: 'notify_team', status: 'waiting' },
      ],
    };

    const shown = lines(detail);

    expect(shown).toContain('agent   running         -  agent run-7 has until then to end');
    expect(shown.slice(shown.indexOf('agent:'), shown.indexOf('Next:') - 1)).toEqual([
      'agent:',
      '  launcher claude: failed after 2 attempts: exit code 7',
      '  agent run-7 of launcher api, session s-7: started, its end is not known',
      '  it said at the end:',
      '  so far',
      '  so good',
    ]);
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
            { ...ofAda, status: 'delivered', detail: 'mailed' },
            { ...ofBob, status: 'failed', error: '451 try\nlater' },
          ],
        },
      ],
    };

    const shown = lines(detail);

    expect(shown.slice(shown.indexOf('tell:'), shown.indexOf('Next:') - 1)).toEqual([
      'tell:',
      '  email/bob: failed after 25 attempts: 451 try ⏎ later',
      '  email/ada: delivered',
    ]);
  });

  test('obeys no text of the event or of an agent', () => {
    const evil = '\u001b[2J\u202e\u0007';
    const detail = aDetail({
      rule: `r${evil}`,
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
            launches: [{ launcher: evil, status: 'failed', reason: evil, attempts: 1 }],
            agent: { launcher: evil, id: evil, session: evil, outcome: 'failed', outputTail: `${evil} tail\n${evil}` },
            deliveries: [
              { delivery: evil, channel: evil, recipient: evil, status: 'failed', attempts: 1, error: evil },
            ],
          },
        ],
      },
    });

    expect(lines(detail, true).join('\n')).not.toMatch(/[\u001b\u202e\u0007]/);
  });
});
