import { describe, expect, test } from 'vitest';
import { renderDead } from '#client/cli/render/dead.js';
import { PLAIN_SCREEN } from '#client/cli/terminal/screen.js';
import type { DeadRemediation } from '#contract/views/dead.js';
import { NOW } from './samples.js';

const FAILED: DeadRemediation = {
  kind: 'remediation',
  id: 'remediation/default/retry/e-1',
  runId: 'run-1',
  tenant: 'default',
  rule: 'retry',
  eventId: 'e-1',
  startedAt: NOW - 180_000,
  closedAt: NOW - 168_000,
  failed: [
    { action: 'agent', reason: 'exit code 7\nand more' },
    { action: 'tell', reason: `not delivered to bob by email: ${'550 '.repeat(100)}end` },
  ],
};
const NOTICE: DeadRemediation = {
  ...FAILED,
  kind: 'notice',
  id: 'digest/default/retry/k/1',
  failed: [{ reason: 'not delivered to bob by email: 550' }],
};

describe('renderDead', () => {
  test('says of each when, which, why and what to do', () => {
    const [heading, agent, , retry, empty, ...notice] = renderDead([FAILED, NOTICE], NOW, PLAIN_SCREEN).split('\n');

    expect([heading, agent, retry, empty]).toEqual([
      '2 min ago (03:09:21 UTC)  rule retry  remediation/default/retry/e-1',
      '  agent failed: exit code 7 ⏎ and more',
      '  npx mesh retry remediation/default/retry/e-1',
      '',
    ]);
    expect(notice).toEqual([
      '2 min ago (03:09:21 UTC)  rule retry  digest/default/retry/k/1',
      '  failed: not delivered to bob by email: 550',
      '  npx mesh retry digest/default/retry/k/1',
    ]);
  });

  test('says what was ended before it was done, and what becomes of capacity', () => {
    const failed = [{ reason: 'history too large' }];
    const { rule: _, ...rest } = FAILED;
    const lease = { ...rest, kind: 'lease', id: 'lease/mesh/gpu', rule: '', environment: 'gpu' } as const;

    const shown = renderDead(
      [
        { ...FAILED, ended: 'terminated', failed },
        { ...lease, failed },
      ],
      NOW,
      PLAIN_SCREEN,
    );

    expect(shown.split('\n').map((line) => line.trim())).toEqual([
      expect.stringContaining('rule retry  remediation/default/retry/e-1'),
      'terminated before it was done: history too large',
      'npx mesh retry remediation/default/retry/e-1',
      '',
      '2 min ago (03:09:21 UTC)  lease on gpu  lease/mesh/gpu',
      'failed: history too large',
      'Nothing gives it back: look what is left there. A bridge over HTTP ends it by itself.',
    ]);
  });

  test('says from where capacity was raised that is still there', () => {
    const restorePoint = { originalCount: 1, countsSetByMesh: [3, 5] };
    const lease = { ...FAILED, kind: 'lease', environment: 'gpu', restorePoint } as const;

    expect(renderDead([lease], NOW, PLAIN_SCREEN)).toContain(
      '\n  The mesh raised it from 1 to 3, then 5. Nothing gives it back: lower it yourself.',
    );
  });

  test('cuts a long reason on a terminal, and nowhere else', () => {
    expect(renderDead([FAILED], NOW, PLAIN_SCREEN)).toContain('550 end\n');
    expect(renderDead([FAILED], NOW, { ...PLAIN_SCREEN, width: 80 })).toMatch(/550 …\n/);
  });

  test('obeys no text of others', () => {
    const evil = '\u001b[2J\u202e\u0007';
    const dead = { ...FAILED, rule: evil, id: evil, failed: [{ action: evil, reason: evil }] };

    expect(renderDead([dead], NOW, PLAIN_SCREEN)).not.toMatch(/[\u001b\u202e\u0007]/);
  });
});
