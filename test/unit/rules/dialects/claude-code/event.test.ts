import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MeshEvent } from '#contract/event.js';
import { formatProblem } from '#contract/text/problem.js';
import { claudeCodeEvent } from '#rules/dialects/claude-code/event.js';
import type { MappedEvent } from '#rules/dialects/mapped.js';
import { hookFixture, hookFixtureNames } from '#test/support/hook-fixtures.js';

const SESSION = '11111111-1111-4111-8111-111111111111';
const PROMPT = '22222222-2222-4222-8222-222222222222';

describe('claudeCodeEvent reads', () => {
  test.each<[string, Partial<MappedEvent>]>([
    ['session-start', { event: 'SessionStart', outcome: 'unknown' }],
    ['bash-failed', { event: 'PostToolUseFailure', outcome: 'failed', id: idOf('PostToolUseFailure', 1) }],
    ['mcp-tool-failed', { event: 'PostToolUseFailure', outcome: 'failed', id: idOf('PostToolUseFailure', 2) }],
    ['bash-succeeded', { event: 'PostToolUse', outcome: 'success', id: idOf('PostToolUse', 3) }],
    [
      'subagent-bash-failed',
      {
        event: 'PostToolUseFailure',
        outcome: 'failed',
        agent: 'a0123456789abcdef',
        id: idOf('PostToolUseFailure', 7),
      },
    ],
    ['bash-interrupted', { event: 'PostToolUseFailure', outcome: 'unknown', id: idOf('PostToolUseFailure', 8) }],
    ['task-created', { event: 'TaskCreated', outcome: 'unknown', id: somewhere('TaskCreated:1') }],
    ['task-completed', { event: 'TaskCompleted', outcome: 'success', id: somewhere('TaskCompleted:1') }],
    ['task-completed-prevented', { event: 'TaskCompleted', outcome: 'failed', agent: 'ada' }],
    [
      'subagent-stop',
      {
        event: 'SubagentStop',
        outcome: 'unknown',
        agent: 'a0123456789abcdef',
        id: somewhere('SubagentStop:a0123456789abcdef'),
      },
    ],
    ['stop', { event: 'Stop', outcome: 'unknown' }],
    ['stop-failure', { event: 'StopFailure', outcome: 'failed', id: somewhere(`StopFailure:${PROMPT}`) }],
    [
      'camel-case',
      {
        event: 'PostToolUseFailure',
        outcome: 'failed',
        session: 's-17',
        agent: 'builder-2',
        id: 'cc:s-17:PostToolUseFailure:call_1',
      },
    ],
  ])('%s', (name, expected) => {
    const hook = hookFixture(name);

    expect(eventOf(hook)).toEqual({ session: SESSION, source: 'claude-code', payload: hook, ...expected });
  });

  test('every fixture, and each makes an event that can be reported', () => {
    const names = hookFixtureNames();

    expect(names.length).toBeGreaterThanOrEqual(13);
    for (const name of names) {
      expect(reported(eventOf(hookFixture(name))), name).toMatchObject({ success: true });
    }
  });
});

describe('the outcome', () => {
  test.each<[string, Record<string, unknown>]>([
    ['a count of refusals', { hook_blocking_error_count: 2 }],
    ['the same, spelt otherwise', { hookBlockingErrorCount: 1 }],
    ['a count written as text', { hook_blocking_error_count: '1' }],
    ['a flag', { hook_prevented_continuation: true }],
    ['the same, spelt otherwise', { hookPreventedContinuation: true }],
    ['a status', { status: 'blocked' }],
    ['the status of the task', { task_status: 'Prevented' }],
    ['a decision', { decision: 'block' }],
    ['an order to stop', { continue: false }],
    ['a reason', { reason: 'blocked by hook' }],
    ['a stop reason', { stopReason: 'Prevented by the TaskCompleted hook: tests are red' }],
    ['an error', { error: 'TaskCompleted hook feedback:\n[npm test]: tests are red' }],
    ['a message', { message: 'A hook blocked the completion' }],
  ])('of a completed task is failed when a hook stopped it: %s', (_, said) => {
    expect(outcomeOf({ hook_event_name: 'TaskCompleted', task_id: '1', ...said })).toBe('failed');
  });

  test.each<[string, Record<string, unknown>]>([
    ['no refusal counted', { hook_blocking_error_count: 0 }],
    ['a flag that is off', { hook_prevented_continuation: false }],
    ['a count that is no number', { hook_blocking_error_count: 'none' }],
    ['a task about hooks', { task_subject: 'Unblock the webhook', task_description: 'A hook blocked the deployment' }],
    ['a message about the work', { message: 'Added a hook to prevent double submits' }],
    ['an order to go on', { continue: true }],
    ['fields of other kinds', { status: 5, reason: ['blocked by hook'], message: null, decision: true }],
  ])('of a completed task is success otherwise: %s', (_, said) => {
    expect(outcomeOf({ hook_event_name: 'TaskCompleted', task_id: '1', ...said })).toBe('success');
  });

  test.each(['PostToolUseFailure', 'StopFailure', 'PostToolUse', 'TaskCompleted'])(
    'of %s is unknown when someone pressed stop',
    (event) => {
      expect(outcomeOf({ hook_event_name: event, is_interrupt: true })).toBe('unknown');
      expect(outcomeOf({ hook_event_name: event, isInterrupt: true })).toBe('unknown');
    },
  );

  test.each(['Notification', 'ANewOne', 'vendor:thing.happened', 'constructor', 'toString'])(
    'of %s is unknown',
    (event) => {
      expect(outcomeOf({ hook_event_name: event, error: 'boom' })).toBe('unknown');
    },
  );
});

describe('the agent', () => {
  test.each([
    [{ agent_id: 'a1', teammate_name: 'ada', agent_type: 'reviewer' }, 'a1'],
    [{ teammate_name: 'ada', agent_type: 'reviewer' }, 'ada'],
    [{ agent_type: 'reviewer' }, 'reviewer'],
    [{ agent_id: 17 }, '17'],
    [{ agent_id: '', agent_type: {} }, undefined],
    [{}, undefined],
  ])('of %j is %s', (named, agent) => {
    expect(eventOf({ hook_event_name: 'Stop', ...named }).agent).toBe(agent);
  });
});

describe('the id', () => {
  const completed = hookFixture('task-completed');
  const stopped = hookFixture('subagent-stop');
  const failed = hookFixture('stop-failure');

  test.each(hookFixtureNames())('is the same when %s is delivered again', (name) => {
    const again = Object.fromEntries(Object.entries(hookFixture(name)).reverse());

    expect(eventOf(again).id).toBe(eventOf(hookFixture(name)).id);
  });

  test.each([
    ['in another session', completed, { session_id: 's-2' }],
    ['for another task', completed, { task_id: '2' }],
    ['for another prompt', completed, { prompt_id: 'p-2' }],
    ['when a hook refused it', completed, { hook_prevented_continuation: true }],
    ['when the subagent goes on and stops again', stopped, { last_assistant_message: 'Found it.' }],
    ['when a hook made the subagent go on', stopped, { stop_hook_active: true }],
    ['for another subagent', stopped, { agent_id: 'a2' }],
    ['for a failure of another prompt', failed, { prompt_id: 'p-2' }],
    ['for a failure of a subagent', failed, { agent_id: 'a2' }],
    ['for a call of another id', hookFixture('bash-failed'), { tool_use_id: 'toolu_2' }],
    ['for another event of the same call', hookFixture('bash-failed'), { hook_event_name: 'PreToolUse' }],
  ])('is another one %s', (_, hook, change) => {
    const [one, other] = [eventOf(hook).id, eventOf({ ...hook, ...change }).id];

    expect(one).toBeDefined();
    expect(other).toBeDefined();
    expect(other).not.toBe(one);
  });

  test.each([
    ['no session', { ...hookFixture('bash-failed'), session_id: undefined }],
    ['a task that may be another one tomorrow', { ...completed, prompt_id: undefined }],
    ['a failure of no known prompt', { ...failed, prompt_id: '' }],
    ['an event without any', hookFixture('stop')],
    ['an id of another kind', { ...hookFixture('bash-failed'), tool_use_id: { id: 1 } }],
  ])('is left to the caller: %s', (_, hook) => {
    expect(eventOf(hook)).not.toHaveProperty('id');
  });
});

describe('refuses', () => {
  test.each([undefined, null, 'text', 5, true, [{ hook_event_name: 'Stop' }]])('%j', (raw) => {
    expect(saidOf(raw)).toBe('expected the JSON of a hook (send the JSON as the runtime gives it to its hooks)');
  });

  test.each([
    [{}, 'is missing: expected'],
    [{ hook_event_name: '' }, 'found an empty text'],
    [{ hook_event_name: 7 }, 'found a number'],
    [{ hook_event_name: '9lives' }, 'found "9lives"'],
    [{ hook_event_name: `A${'x'.repeat(128)}` }, 'found "Axxx'],
    [{ event: 'Stop' }, 'is missing: expected'],
    [Object.create({ hook_event_name: 'Stop' }), 'is missing: expected'],
  ])('%j', (raw, said) => {
    expect(saidOf(raw)).toContain('hook_event_name: ');
    expect(saidOf(raw)).toContain(said);
  });
});

test('never throws, and what it makes of a hook can be reported', () => {
  const names = [
    ...[
      'hook_event_name',
      'session_id',
      'tool_use_id',
      'task_id',
      'prompt_id',
      'agent_id',
      'agent_type',
      'teammate_name',
    ],
    ...[
      'is_interrupt',
      'status',
      'error',
      'reason',
      'message',
      'hook_blocking_error_count',
      'hookEventName',
      '__proto__',
    ],
  ];
  const events = fc.constantFrom('TaskCompleted', 'SubagentStop', 'StopFailure', 'PostToolUseFailure', 'Other');
  const value = fc.oneof(fc.anything(), fc.string({ maxLength: 300 }), fc.jsonValue());
  const hook = fc
    .tuple(fc.dictionary(fc.constantFrom(...names), value), fc.option(events))
    .map(([fields, event]): unknown => (event === null ? fields : { ...fields, hook_event_name: event }));

  let taken = 0;
  fc.assert(
    fc.property(fc.oneof({ weight: 1, arbitrary: fc.anything() }, { weight: 4, arbitrary: hook }), (raw) => {
      const mapped = claudeCodeEvent(raw);
      if (!mapped.ok) {
        expect(mapped.problem.message).not.toBe('');
        return;
      }
      taken++;
      const { payload, ...event } = mapped.event;
      expect(payload).toBe(raw);
      expect(reported({ ...event, payload: {} })).toMatchObject({ success: true });
    }),
    { numRuns: 2_000 },
  );
  expect(taken).toBeGreaterThan(400);
});

function idOf(event: string, call: number): string {
  return `cc:${SESSION}:${event}:toolu_${String(call).padStart(24, '0')}`;
}

/** An id that ends with what is particular about that one report. */
function somewhere(subject: string): string {
  return expect.stringMatching(new RegExp(`^cc:${SESSION}:${subject}:[\\w~-]+$`));
}

/** As the door does, with what it fills in. */
function reported(event: MappedEvent) {
  return MeshEvent.safeParse({ id: 'made', tenant: 'default', depth: 0, occurredAt: 0, ...event });
}

function eventOf(raw: unknown): MappedEvent {
  const mapped = claudeCodeEvent(raw);
  if (!mapped.ok) throw new Error(formatProblem(mapped.problem));
  return mapped.event;
}

function outcomeOf(raw: unknown): string {
  return eventOf(raw).outcome;
}

function saidOf(raw: unknown): string {
  const mapped = claudeCodeEvent(raw);
  return mapped.ok ? 'taken' : formatProblem(mapped.problem);
}
