import { describe, expect, test } from 'vitest';
import type { MeshEvent } from '#contract/event.js';
import { agentEndOf } from '#rules/match-batch.js';
import { anEvent } from '#test/support/builders.js';

describe('the end of an agent', () => {
  test.each<[event: string, reported: MeshEvent['outcome'], outcome: string | undefined]>([
    ['TaskCompleted', 'success', 'success'],
    ['TaskCompleted', 'failed', 'failed'],
    ['TaskCompleted', 'timeout', 'timeout'],
    ['TaskCompleted', 'unknown', 'success'],
    ['SubagentStop', 'unknown', 'success'],
    ['SessionEnd', 'unknown', 'success'],
    ['StopFailure', 'unknown', 'failed'],
    ['StopFailure', 'timeout', 'timeout'],
    ['RunFinished', 'success', 'success'],
    ['run-finished', 'failed', 'failed'],
    ['run.finished', 'unknown', 'success'],
    ['run_finished', 'unknown', 'success'],
    ['Run:Finished', 'unknown', 'success'],
    ['run_completed', 'timeout', 'timeout'],
    ['runCompleted', 'success', 'success'],
    ['run.failed', 'unknown', 'failed'],
    ['task_completed', 'failed', 'failed'],
    // A turn, a tool or another agent's beginning is no end.
    ['Stop', 'success', undefined],
    ['PostToolUse', 'success', undefined],
    ['PostToolUseFailure', 'failed', undefined],
    ['SubagentStart', 'unknown', undefined],
    ['TaskCreated', 'unknown', undefined],
    ['RunStarted', 'unknown', undefined],
    ['my.run.finished', 'success', undefined],
  ])('%s with outcome %s: %s', (event, reported, outcome) => {
    expect(agentEndOf(anEvent({ event, outcome: reported }), (text) => text)?.outcome).toBe(outcome);
  });
});

describe('what the agent said last', () => {
  test.each<[string, MeshEvent['payload'], string | undefined]>([
    ['comes from last_assistant_message first', { last_assistant_message: 'said', output: 'o' }, 'said'],
    ['then from output', { output: 'o', result: 'r' }, 'o'],
    ['then from result', { result: 'r', summary: 's' }, 'r'],
    ['then from summary', { summary: 's' }, 's'],
    ['is the first that is no empty text', { output: ' \n', result: 7, summary: 's' }, 's'],
    ['is nothing when there is none', { message: 'm' }, undefined],
    ['is nothing that an object inherits', Object.create({ output: 'inherited' }) as MeshEvent['payload'], undefined],
    ['is without white space around it', { output: '\n  done \n' }, 'done'],
  ])('%s', (_what, payload, tail) => {
    expect(agentEndOf(anEvent({ event: 'TaskCompleted', payload }), (text) => text)?.outputTail).toBe(tail);
  });

  test('is cut to the last 2,000 characters, after secrets were taken out', () => {
    const output = `${'x'.repeat(3_000)}token=abc${'y'.repeat(1_997)}`;
    const redact = (text: string) => text.replace('token=abc', '[redacted]');

    const tail = agentEndOf(anEvent({ event: 'TaskCompleted', payload: { output } }), redact)?.outputTail;

    expect(tail).toBe(`ed]${'y'.repeat(1_997)}`);
  });

  test('ends in no half of a character', () => {
    const output = `🔥${'y'.repeat(1_999)}`;

    const tail = agentEndOf(anEvent({ event: 'TaskCompleted', payload: { output } }), (text) => text)?.outputTail;

    expect(tail?.isWellFormed()).toBe(true);
  });
});
