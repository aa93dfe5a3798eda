import { describe, expect, it } from 'vitest';
import { createQueryGuard } from '#workflows/early-queries.js';

type Activation = Parameters<ReturnType<typeof createQueryGuard>>[0];
type Jobs = Activation['jobs'];

const SIGNAL: Jobs = [{ signalWorkflow: { signalName: 'events' } }];
const ASKED: Jobs = [{ queryWorkflow: { queryId: 'legacy_query' } }];
const ASKED_WITH_TASK: Jobs = [{ queryWorkflow: { queryId: '0a1b' } }];

/** What is refused of these activations, by their place. */
function refused(...activations: Activation[]): number[] {
  const mustRefuse = createQueryGuard();
  // A second passes between one and the next.
  return activations.flatMap((activation, index) => (mustRefuse(activation, 1_000 * index) ? [index] : []));
}

/** The start of a task is the event of this number; time and size are as it tells them. */
function task(startedId: number, jobs: Jobs = SIGNAL, more: Partial<Activation> = {}): Activation {
  const of = { timestamp: at(startedId), historySizeBytes: size(100 * startedId), historyLength: startedId };
  return { ...of, jobs, ...more };
}

const replayed = (startedId: number): Activation => task(startedId, SIGNAL, { isReplaying: true });

/** Told by nothing but the start of a task, which these events have not had. */
const unstarted = (lastStartedId: number, lastId: number): Activation =>
  task(lastStartedId, SIGNAL, { historyLength: lastId });

function at(seconds: number): Activation['timestamp'] {
  return { seconds: size(seconds), nanos: 5 };
}

function size(value: number): NonNullable<Activation['historySizeBytes']> {
  return { toNumber: () => value, toString: () => String(value) } as NonNullable<Activation['historySizeBytes']>;
}

describe('an activation is worked on', () => {
  it('when it is of the next task, or of the same', () => {
    expect(refused(task(3), task(8), task(8), task(12))).toEqual([]);
  });

  it('when the clock of the server was put back, so that no time passes', () => {
    expect(refused(task(3), task(8, SIGNAL, { timestamp: at(3) }))).toEqual([]);
  });

  it('when it is replayed, whatever time and size say: it was done once', () => {
    expect(
      refused(
        replayed(3),
        task(8, SIGNAL, { isReplaying: true, ...{ timestamp: at(3), historySizeBytes: size(300) } }),
      ),
    ).toEqual([]);
  });

  it('when a server tells no sizes, and no time passes', () => {
    const untold = { timestamp: at(3), historySizeBytes: size(0) };
    expect(refused(task(3, SIGNAL, untold), task(8, SIGNAL, untold))).toEqual([]);
  });

  it.each([
    ['in a run that is new here', [task(3), task(3, ASKED)]],
    ['after a replay', [replayed(3), replayed(8), task(8, ASKED), task(8, ASKED)]],
    ['in a run in which this worker goes on', [replayed(3), task(8), task(12), task(12, ASKED)]],
    ['with a task', [replayed(3), task(8), task(8, ASKED_WITH_TASK)]],
    ['long after a task', [replayed(3), task(8), ...Array.from({ length: 9 }, () => task(8)), task(8, ASKED)]],
  ])('when it is a query %s', (_when, activations) => {
    expect(refused(...activations)).toEqual([]);
  });
});

describe('an activation is refused', () => {
  it('when its task was not started', () => {
    expect(refused(replayed(3), replayed(8), unstarted(8, 11), task(8, ASKED))).toEqual([2]);
    expect(refused(task(3), task(8), unstarted(8, 11))).toEqual([2]);
  });

  it('when it is a query, and what it came with may be the task of another worker', () => {
    expect(refused(replayed(3), task(8), task(8, ASKED))).toEqual([2]);
    expect(refused(task(3), replayed(8), task(12), task(12), task(12, ASKED))).toEqual([4]);
  });
});
