import { describe, expect, test } from 'vitest';
import { describeRemediation } from '#adapters/temporal/start-remediation.js';
import { MAX_ACTIONS } from '#contract/limits.js';
import { aRemediation } from '../../../support/a-remediation.js';

const TELL = { type: 'notify_team', id: 'tell' } as const;

describe('describeRemediation', () => {
  test('says where in a chain the event stands, by way of which rules, and until when the rule is quiet', () => {
    const remediation = aRemediation([TELL], { depth: 2, lineage: { root: 'e-0', parent: 'remediation/x/y/z' } });
    const told = describeRemediation({
      ...remediation,
      path: ['first', 'second'],
      quiet: { cooldownUntilAt: 0, label: 'session=s-1' },
    });

    expect(told).toContain('**Chain:** depth 2, started by event `e-0`, by way of `first` → `second`\n');
    expect(told).toContain('**Caused by:** `remediation/x/y/z`');
    expect(told).toContain('the rule does not fire again for `session=s-1` before 1970-01-01 00:00:00 UTC');
  });

  test('says nothing of what there is not', () => {
    const told = describeRemediation(aRemediation([TELL]));

    expect(told).toContain('**Actions:** `tell`');
    expect(told).not.toMatch(/Quiet|Caused by|Chain|Task:|Tool:|Payload/);
  });

  test('fits what the server takes, whatever the event and the rules are called', () => {
    const long = '語'.repeat(200);
    const remediation = aRemediation(
      // As many as there may be, with ids as long as those may be.
      Array.from({ length: MAX_ACTIONS }, (_, n) => ({ ...TELL, id: `${n}${long.slice(0, 60)}` })),
      {
        session: long,
        source: long,
        requestId: long,
        payload: { error: '\u202e'.repeat(9_000), text: long.repeat(100) },
      },
    );
    const path = Array.from({ length: 50 }, () => long);

    const told = describeRemediation({ ...remediation, path, quiet: { cooldownUntilAt: 0, label: long } });

    expect(Buffer.byteLength(JSON.stringify(told))).toBeLessThan(20_000);
  });
});
