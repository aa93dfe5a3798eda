import { describe, expect, test } from 'vitest';
import { CliError } from '#client/cli/cli-error.js';
import { explainError } from '#client/cli/explain-error.js';
import { MeshError, NotStoredError } from '#client/errors.js';
import { readSettings } from '#contract/settings.js';

const ENV = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
const explain = (error: unknown) => explainError(error, readSettings(ENV).settings, ENV);

const AWAY = Object.assign(new Error('14 UNAVAILABLE: No connection established'), {
  code: 14,
  details: 'No connection established',
  metadata: {},
});
const UNREACHABLE = 'Temporal is not reachable at 127.0.0.1:1: check TEMPORAL_ADDRESS and that the server runs.';

function refusal(details: string): Error {
  return Object.assign(new Error(`3 INVALID_ARGUMENT: ${details}`), { code: 3, details, metadata: {} });
}

describe('explainError', () => {
  test.each<[string, unknown, string, number]>([
    ['an error of the person', new CliError('give a file'), 'give a file', 1],
    ['one with an exit code of its own', new CliError('later', 3), 'later', 3],
    ['a server that is away', AWAY, UNREACHABLE, 2],
    ['a wrapped one', new Error('query failed', { cause: AWAY }), UNREACHABLE, 2],
    [
      'no worker',
      new MeshError('no-worker', 'no worker answers: start one with `npm start`', { cause: AWAY }),
      'no worker answers: start one with `npm start`',
      3,
    ],
    [
      'something that is not there',
      new MeshError('not-found', 'there is no remediation x'),
      'there is no remediation x',
      1,
    ],
    ['something that is in the way', new MeshError('conflict', 'x is still running'), 'x is still running', 1],
    ['anything else', new Error('disk on fire'), 'disk on fire', 1],
    ['what is no error', 'boom', 'boom', 1],
  ])('%s', (_, error, message, exitCode) => {
    expect(explain(error)).toEqual({ message, exitCode });
  });

  test('says what Temporal answered', () => {
    expect(explain(new Error('Failed to list', { cause: refusal('bad query') })).message).toBe(
      'Failed to list: bad query',
    );
  });

  test('names the events that are stored and those that are not', () => {
    const error = new NotStoredError('unreachable', ['e-2', 'e-3'], ['e-1'], { cause: AWAY });

    expect(explain(error)).toEqual({
      message: [
        UNREACHABLE,
        'Not known to be stored (2): e-2, e-3',
        'Stored (1): e-1',
        'Send them again with the same ids: what is stored already is recognised.',
      ].join('\n'),
      exitCode: 2,
    });
  });

  test('says why the server refused events', () => {
    const cause = new Error('Failed to signalWithStart Workflow', { cause: refusal("Namespace not found: 'my'") });

    expect(explain(new NotStoredError('refused', ['e-1'], [], { cause })).message.split('\n')[0]).toBe(
      "the server refused them: Failed to signalWithStart Workflow: Namespace not found: 'my'",
    );
  });

  test.each([
    'Namespace default has no mapping defined for search attribute MeshTenant',
    'invalid query: invalid search attribute: MeshTenant',
  ])('sends who meets a namespace that was never set up to its set-up: %s', (details) => {
    const unprepared = refusal(details);

    for (const error of [
      unprepared,
      new Error('Failed', { cause: unprepared }),
      new NotStoredError('refused', ['e-1'], [], { cause: new Error('Failed', { cause: unprepared }) }),
    ]) {
      expect(explain(error).message).toMatch(/^this namespace of Temporal is not set up for the mesh\n.*setup-server/);
    }
  });

  test('names no more ids than one can read', () => {
    const ids = Array.from({ length: 60 }, (_, n) => `e-${n}`);

    const { message, exitCode } = explain(new NotStoredError('too-many-waiting', ids, []));

    expect(message).toMatch(/^they are too large to be sent at once: send them in parts\n/);
    expect(message).toContain('e-49, … and 10 more');
    expect(exitCode).toBe(1);
  });
});
