import { describe, expect, test } from 'vitest';
import { followRun } from '#client/cli/try/follow-run.js';
import { MeshError } from '#client/errors.js';
import type { RemediationDetail } from '#contract/views/remediation.js';
import { PLAIN_SCREEN } from '#client/cli/terminal/screen.js';
import { withStory } from '#test/support/fake-mesh.js';
import { aDetail, aRetried } from '../render/samples.js';

type States = NonNullable<RemediationDetail['progress']>['actions'];

const AGENT = { action: 'agent', type: 'spawn_fallback_agent' } as const;
const TELL = { action: 'tell', type: 'notify_team' } as const;

function at(outcome: RemediationDetail['outcome'], actions: States | undefined): RemediationDetail {
  const { progress: _progress, ...detail } = aDetail({ outcome });
  return withStory(actions ? { ...detail, progress: { outcome: 'running', actions } } : detail);
}

/** Answers with one after the other, the last for ever. */
function follow(...looks: (RemediationDetail | Error)[]) {
  const told: string[] = [];
  const remediation = async () => {
    const next = looks.length > 1 ? looks.shift() : looks[0];
    if (next === undefined || next instanceof Error) throw next ?? new Error('nothing left to answer');
    return next;
  };
  const listener = { tell: (line: string) => told.push(line), screen: PLAIN_SCREEN };
  return { told, ended: followRun({ remediation }, 'remediation/t/r/e', listener, 1) };
}

describe('followRun', () => {
  test('tells each change once, and ends with the remediation', async () => {
    const busy = at('running', [
      { ...AGENT, status: 'running', doing: { is: 'waiting-to-retry', reason: 'busy' } },
      { ...TELL, status: 'waiting' },
    ]);
    const done = at('executed', [
      { ...AGENT, status: 'executed', detail: 'ran\nwell', attempts: 1 },
      { ...TELL, status: 'skipped', reason: 'nobody\u001b', attempts: 1 },
    ]);

    const { told, ended } = follow(busy, busy, done);

    expect(await ended).toBe(done);
    expect(told).toEqual([
      'agent: running: waits to try again: busy',
      'agent: executed: ran ⏎ well',
      'tell: skipped: nobody\\u001b',
    ]);
  });

  test('tells why something is tried again, once for each reason', async () => {
    const open: States = [{ ...TELL, status: 'running', doing: { is: 'writing' } }];
    const failing = (lastError: string, attempt: number) => ({
      ...at('running', open),
      retrying: [
        aRetried({ action: 'tell', delivery: 'webhook/ops', state: 'running', attempt, lastError }),
        aRetried({ doing: 'give back', state: 'queued', lastError: '504\nlater' }),
      ],
    });
    const unset = 'environment variable HOOK_SECRET is not set';

    const { told, ended } = follow(
      at('running', open),
      failing(unset, 2),
      failing(unset, 3),
      failing('503', 4),
      at('executed', [{ ...TELL, status: 'executed', attempts: 4 }]),
    );

    await ended;
    expect(told).toEqual([
      'tell: running: writes the message',
      `tell: webhook/ops: attempt 1 failed: ${unset}; attempt 2 runs`,
      'give back: attempt 1 failed: 504 ⏎ later; attempt 2 waits for a worker',
      'tell: webhook/ops: attempt 3 failed: 503; attempt 4 runs',
      'tell: executed',
    ]);
  });

  test('says when no worker answers any more', async () => {
    const silent = at('running', undefined);
    const { told, ended } = follow(silent, silent, silent, silent, at('executed', []));

    await ended;

    expect(told).toEqual(['No worker answers. It goes on when one runs: start one with `npm start`.']);
  });

  test('says what was started when the server is gone', async () => {
    const { ended } = follow(new MeshError('unreachable', 'Temporal does not answer in time'));

    await expect(ended).rejects.toThrow(
      'Temporal does not answer in time. It was started; to see how it stands: npx mesh show remediation/t/r/e',
    );
  });
});
