import { describe, expect, test } from 'vitest';
import type { ActionResult, PendingAction, RemediationInput } from '#contract/remediation.js';
import type { RetriedActivity } from '#contract/views/actions.js';
import { type Known, storyOf } from '#contract/story.js';
import { aRemediation } from '../../support/a-remediation.js';

const AGENT = { type: 'spawn_fallback_agent', id: 'mend' } as const;
const WARM = { type: 'warm_remote_capacity', id: 'warm' } as const;
const TELL = { type: 'notify_team', id: 'tell' } as const;

const mended: ActionResult = { action: 'mend', type: 'spawn_fallback_agent', status: 'executed', attempts: 1 };
const mending: PendingAction = { action: 'mend', type: 'spawn_fallback_agent', status: 'running' };
const told: ActionResult = { action: 'tell', type: 'notify_team', status: 'executed', attempts: 1 };
const retried: RetriedActivity = {
  ...{ action: 'mend', doing: 'start agent', state: 'waiting', attempt: 3, lastError: 'no answer' },
};

const tell = (remediation: RemediationInput, known: Omit<Known, 'remediation'> = { actions: [] }) =>
  storyOf({ remediation, ...known });

describe('the story of a remediation', () => {
  test('says what runs, what waits for what, and what can be done', () => {
    const remediation = aRemediation([AGENT, WARM, { ...TELL, onlyIf: 'failed' }]);

    expect(tell(remediation, { actions: [{ ...mending, sinceAt: 7 }] })).toMatchObject({
      outcome: 'running',
      actions: [
        { name: 'mend', state: 'running', sinceAt: 7 },
        { name: 'warm', state: 'waiting', starts: { after: 'mend', needs: 'agent', patienceMs: 30_000 } },
        { name: 'tell', state: 'waiting', onlyIf: { wants: 'failed', of: ['warm'] } },
      ],
      next: { running: ['mend'], toCome: ['warm', 'tell'], canAbort: true, canRetry: false },
    });
  });

  test.each<[ActionResult['status'][], string, boolean]>([
    [['executed', 'skipped'], 'executed', false],
    [['skipped', 'skipped'], 'skipped', false],
    [['failed', 'executed'], 'failed', true],
    [['failed', 'aborted'], 'aborted', true],
  ])('ends as %j say: %s', ([first = 'skipped', second = 'skipped'], outcome, canRetry) => {
    const actions = [
      { ...mended, status: first },
      { ...told, status: second },
    ];

    expect(tell(aRemediation([AGENT, TELL]), { actions })).toMatchObject({
      outcome,
      next: { canAbort: false, canRetry },
    });
  });

  test('what was done by the run before stays done, and what a limit has refused was never run', () => {
    const remediation = { ...aRemediation([AGENT, TELL]), earlier: [told] };
    const actions = remediation.actions.map((plan) => (plan.name === 'mend' ? { ...plan, refused: 'too many' } : plan));

    expect(tell({ ...remediation, actions }).actions).toMatchObject([
      { name: 'mend', state: 'skipped', why: { code: 'refused', text: 'too many' } },
      { name: 'tell', state: 'executed' },
    ]);
  });

  test.each<[string, Partial<ActionResult>, string]>([
    ['its own condition', { status: 'skipped', attempts: 0, reason: 'not needed' }, 'not-needed'],
    ['its receiver', { status: 'skipped', reason: 'nobody is in the team' }, 'said'],
    [
      'its launchers, each for itself',
      {
        status: 'failed',
        reason: 'a: one; b: two',
        launches: [
          { launcher: 'a', status: 'failed', reason: 'one', attempts: 1 },
          { launcher: 'b', status: 'failed', reason: 'two', attempts: 1 },
        ],
      },
      'launches',
    ],
    [
      'its deliveries, each for itself',
      {
        status: 'failed',
        reason: 'not delivered to ada',
        deliveries: [{ delivery: 'mail/ada', channel: 'mail', recipient: 'ada', status: 'failed', attempts: 1 }],
      },
      'deliveries',
    ],
  ])('says who tells why: %s', (_who, result, code) => {
    const remediation = aRemediation([AGENT, { ...TELL, onlyIf: 'failed' }]);

    expect(tell(remediation, { actions: [mended, { ...told, ...result }] }).actions[1]?.why?.code).toBe(code);
  });

  test.each<[string, Partial<Known>, object, string]>([
    ['while a worker is with it', {}, {}, 'at-work'],
    ['between two attempts', { retrying: [retried] }, {}, 'end-unknown'],
    ['while it is put off', {}, { doing: { is: 'waiting-to-retry', reason: 'no answer' } }, 'end-unknown'],
    ['while its slot is taken', {}, { doing: { is: 'waiting-for-slot', launcher: 'a', slots: 1 } }, 'end-unknown'],
    ['once nobody waits for its end', {}, { status: 'executed', attempts: 1 }, 'end-unknown'],
    ['of a run that was terminated', { outcome: 'terminated' }, {}, 'end-unknown'],
  ])('says how an agent stands %s', (_when, known, state, stands) => {
    const agent = { launcher: 'a', outcome: 'running' } as const;
    const actions = [{ ...mending, agent, ...state }];

    expect(tell(aRemediation([AGENT]), { actions, outcome: 'running', ...known }).actions[0]?.agent?.stands).toBe(
      stands,
    );
  });

  test('one that nobody answered about may not exist', () => {
    const agent = { launcher: 'a', outcome: 'timeout', mayNotExist: true } as const;

    expect(tell(aRemediation([AGENT]), { actions: [{ ...mended, agent }] }).actions[0]?.agent?.stands).toBe(
      'perhaps-started',
    );
  });

  test('what was cut off stands as it did then, and can be retried', () => {
    const story = tell(aRemediation([AGENT, TELL]), { actions: [mending], outcome: 'terminated' });

    expect(story).toMatchObject({
      actions: [
        { state: 'unknown', why: { code: 'cut-off', by: 'terminated', while: 'running' } },
        { state: 'skipped', why: { code: 'cut-off', by: 'terminated', while: 'waiting' } },
      ],
      next: { canAbort: false, canRetry: true },
    });
  });

  test('tells what is tried again where no worker can tell anything else', () => {
    const other: RetriedActivity = { doing: 'give back', state: 'queued', attempt: 2, lastError: '504' };

    expect(tell(aRemediation([AGENT]), { outcome: 'running', retrying: [retried, other] })).toMatchObject({
      actions: [{ name: 'mend', state: 'unknown', attempts: 2, retrying: [retried] }],
      retrying: [other],
    });
  });

  const COOLDOWN = { cooldownUntilAt: 100 };
  const until = (...untilAt: number[]) =>
    untilAt.map((at, place) => ({ action: place === 0 ? 'mend' : 'tell', untilAt: at }));

  test.each<[string, Partial<RemediationInput>, object[]]>([
    ['the rule', { quiet: COOLDOWN }, [{ by: 'cooldown', untilAt: 100 }]],
    ['nothing after a try', { quiet: COOLDOWN, isTry: true }, []],
    [
      'what the cooldown covers only once',
      { quiet: COOLDOWN, repeats: { until: until(90, 200) } },
      [
        { by: 'cooldown', untilAt: 100 },
        { by: 'repeats', actions: ['tell'], untilAt: 200 },
      ],
    ],
    [
      'what it does not cover',
      { quiet: { ...COOLDOWN, label: 's-1' }, repeats: { by: ['tool'], until: until(90, 90) } },
      [
        { by: 'cooldown', label: 's-1', untilAt: 100 },
        { by: 'repeats', fields: ['tool'], untilAt: 90 },
      ],
    ],
  ])('says until when it is quiet: %s', (_what, overrides, quiet) => {
    const remediation = { ...aRemediation([AGENT, TELL]), quiet: undefined, repeats: undefined, ...overrides };

    expect(tell(remediation as RemediationInput).quiet).toEqual(quiet);
  });
});
