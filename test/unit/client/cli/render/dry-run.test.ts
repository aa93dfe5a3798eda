import { describe, expect, test } from 'vitest';
import { type DryRun, renderDryRun } from '#client/cli/render/dry-run.js';
import { PLAIN_SCREEN } from '#client/cli/terminal/screen.js';
import type { ActionPreview } from '#contract/preview.js';
import { aRemediation } from '#test/support/a-remediation.js';

const TELL: ActionPreview = {
  action: 'tell',
  type: 'notify_team',
  status: 'ready',
  when: 'only if agent fails',
  unknown: ['agent', 'praise'],
  steps: [
    {
      what: 'email/alice',
      destination: 'alice <alice@example.com>',
      parts: [
        { part: 'subject', text: 'Broken' },
        { part: 'text', text: 'one\n\ntwo\n' },
        { part: 'html', text: '<p>Broken</p>' },
      ],
    },
    {
      what: 'email/bob',
      destination: 'bob <bob@example.com>',
      like: 'email/alice',
      parts: [{ part: 'subject', text: 'Broken' }],
    },
  ],
  warnings: ['not in the team: carol'],
};

function aDryRun(overrides: Partial<DryRun> = {}): DryRun {
  return {
    remediation: aRemediation([{ type: 'notify_team', id: 'tell' }], { id: 'e-1' }),
    source: 'rules.yaml',
    judgement: {
      verdicts: [{ verdict: 'fire', rule: 'a-rule', action: 'tell' }],
      guards: {
        cooldown: { ms: 60_000, label: 'session=s-1' },
        dedups: [
          { action: 'tell', ms: 300_000 },
          { action: 'warm', ms: 0 },
        ],
        depth: { is: 1, max: 2 },
        maxDescendants: 20,
        maxEventAgeMs: 3_600_000,
      },
    },
    actions: [TELL],
    ...overrides,
  };
}

function lines(dryRun: DryRun): string[] {
  return renderDryRun(dryRun, PLAIN_SCREEN).split('\n');
}

describe('renderDryRun', () => {
  test('says whether the rule fires, what may stop it, and what each action sends', () => {
    expect(lines(aDryRun())).toEqual([
      'Rule a-rule of rules.yaml (version abc), tenant default',
      '',
      'Event    PostToolUseFailure failed',
      'Match    the rule looks at this event',
      'Verdict  tell: fires',
      'Guards   the rule cools down for 60 s for session=s-1',
      '         tell: an equal event is a repeat for 5 min',
      '         warm: no dedup window',
      '         chain depth 1, refused from 2',
      '         at most 20 agents of one first event, three within 10 s',
      '         events older than 60 min are stale',
      '',
      'Action tell (notify_team): would run, only if agent fails',
      '  how agent and praise end, a dry run cannot know: they are shown as not begun',
      '  email/alice: alice <alice@example.com>',
      '    subject: Broken',
      '    text:',
      '      one',
      '',
      '      two',
      '    html: 13 characters (--json has them)',
      '  email/bob: bob <bob@example.com>',
      '    the same as email/alice, but for the name',
      '',
      'Warnings:',
      '  tell: not in the team: carol',
      '',
      'Nothing was sent or started: this was a dry run.',
    ]);
  });

  test('says what the rule missed on, and what would not run', () => {
    const { judgement } = aDryRun();
    const skipped: ActionPreview = { ...TELL, status: 'skipped', reason: 'nobody to tell', steps: [], warnings: [] };
    const fails: ActionPreview = { ...skipped, action: 'notify_team:1', status: 'fails', reason: 'no launcher' };

    const { when: _when, ...always } = { ...TELL, action: 'always' };

    const shown = lines(
      aDryRun({ judgement: { ...judgement, missed: 'wants Stop' }, actions: [TELL, always, skipped, fails] }),
    );

    expect(shown).toContain('Match   the rule does not look at this event: wants Stop');
    expect(shown.some((line) => line.startsWith('Verdict'))).toBe(false);
    expect(shown.filter((line) => line.startsWith('Action '))).toEqual([
      'Action tell (notify_team): would run if the rule fired, and only if agent fails',
      'Action always (notify_team): would run if the rule fired',
      'Action tell (notify_team): would be skipped if the rule fired, and only if agent fails: nobody to tell',
      'Action notify_team:1: would fail if the rule fired, and only if agent fails: no launcher',
    ]);
    expect(shown.at(-1)).toBe('For this event nothing would run, since the rule does not look at it: wants Stop');
  });

  test('says why an action would be skipped, and nothing of those before it', () => {
    const skipped: ActionPreview = { ...TELL, status: 'skipped', reason: 'nobody to tell', steps: [], warnings: [] };

    const shown = lines(aDryRun({ actions: [skipped] }));

    expect(shown).toContain('Action tell (notify_team): would be skipped, only if agent fails: nobody to tell');
    expect(shown).not.toContain('Warnings:');
    expect(shown.join()).not.toContain('cannot know');
    expect(shown.at(-1)).toBe('Nothing was sent or started: this was a dry run.');
  });

  test('says why a guard refuses it', () => {
    const { judgement } = aDryRun();
    const verdicts = [
      { verdict: 'skip', code: 'shadow', reason: 'shadow mode: would fire', rule: 'a-rule', action: 'tell' } as const,
      { verdict: 'skip', code: 'stale', reason: 'event is 2ms old' } as const,
    ];

    const shown = lines(aDryRun({ judgement: { ...judgement, verdicts } }));

    expect(shown).toContain('Verdict  tell: skip shadow: shadow mode: would fire');
    expect(shown).toContain('         the whole event: skip stale: event is 2ms old');
  });

  test('obeys no text of the event', () => {
    const evil = '\u001b[2J\u202e\u0007';
    const step = { what: evil, destination: evil, when: evil, like: evil, parts: [] };
    const shown = { ...step, like: undefined, parts: [{ part: 'text', text: `${evil}\n${evil}` }] };
    const { like: _like, ...withParts } = shown;
    const action = { ...TELL, action: evil, reason: evil, when: evil, warnings: [evil], steps: [step, withParts] };

    expect(lines(aDryRun({ source: evil, actions: [action] })).join('\n')).not.toMatch(/[\u001b\u202e\u0007]/);
  });
});
