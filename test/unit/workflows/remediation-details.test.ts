import { expect, test } from 'vitest';
import type { ActionResult, RemediationInput } from '#contract/remediation.js';
import { createProgress, type Progress } from '#workflows/progress.js';
import { renderRemediationDetails } from '#workflows/remediation-details.js';
import { aRemediation } from '../../support/a-remediation.js';

const AGENT = { type: 'spawn_fallback_agent', id: 'mend', await: 'finished' } as const;
const WARM = { type: 'warm_remote_capacity', id: 'warm' } as const;
const TELL = { type: 'notify_team', id: 'tell' } as const;
const UNTIL_AT = Date.UTC(2026, 0, 2, 3, 4, 5);

function shown(input: RemediationInput, happens: (progress: Progress) => void = () => undefined): string {
  const progress = createProgress(input, () => undefined);
  happens(progress);
  return renderRemediationDetails(input, progress.now());
}

const mended: ActionResult = { action: 'mend', type: 'spawn_fallback_agent', status: 'executed', attempts: 1 };
const warmed: ActionResult = {
  action: 'warm',
  type: 'warm_remote_capacity',
  status: 'executed',
  detail: 'Remote capacity warmed for environment env-1',
  attempts: 1,
};

test('says until when capacity is kept', () => {
  const input = aRemediation([WARM], { id: 'e-1' });

  expect(shown(input, (progress) => progress.finish({ ...warmed, leaseUntilAt: UNTIL_AT }))).toContain(
    '**executed**: `Remote capacity warmed for environment env-1, kept until 2026-01-02 03:04:05 UTC at least`',
  );
});

test('says what runs, what waits for what, and how to abort', () => {
  const input = aRemediation([AGENT, WARM, { ...TELL, onlyIf: 'failed' }], { id: 'e-1' });

  expect(
    shown(input, (progress) => {
      progress.start('mend');
      progress.show('mend', { doing: { is: 'waiting-for-slot', launcher: 'claude', slots: 4 } });
    }).replace(/since .* UTC/, 'since …'),
  ).toBe(`### Running: 0 of 3 actions done

**\`mend\`** (spawn_fallback_agent): **running** since …: \`waits for a free slot of claude, which runs 4 agents at a time\`

**\`warm\`** (warm_remote_capacity): waiting; starts when \`mend\` is done

**\`tell\`** (notify_team): waiting; runs only if \`warm\` fails

- \`mend\` is tried up to 3 times, for at most 10 min each
- Attempts that failed, and why: under *Pending Activities*
- To abort: *Request Cancellation* above, or \`npx mesh abort remediation/default/a-rule/e-1\``);
});

test('says why each part failed, once, and what can be done', () => {
  const input = { ...aRemediation([AGENT, WARM, TELL], { id: 'e-1' }), quiet: { cooldownUntilAt: UNTIL_AT } };

  expect(
    shown(input, (progress) => {
      progress.finish({
        ...mended,
        status: 'failed',
        reason: 'claude: exit code 1; codex: exit code 2',
        detail: 'output: no luck',
        attempts: 3,
        launches: [
          { launcher: 'claude', status: 'failed', reason: 'exit code 1', attempts: 2, lastWords: 'out of\ncredit' },
          { launcher: 'codex', status: 'failed', reason: 'exit code 2', attempts: 1 },
        ],
        agent: { launcher: 'codex', outcome: 'failed' },
      });
      progress.finish(warmed);
      progress.finish({
        action: 'tell',
        type: 'notify_team',
        status: 'failed',
        reason: 'not delivered to bob by email: 550 no such user',
        attempts: 1,
        deliveries: [
          {
            delivery: 'email/ada',
            channel: 'email',
            recipient: 'ada',
            status: 'delivered',
            attempts: 2,
            error: '451 later',
          },
          {
            delivery: 'email/bob',
            channel: 'email',
            recipient: 'bob',
            status: 'failed',
            attempts: 1,
            error: '550 no such user',
          },
        ],
      });
    }),
  ).toBe(`### Failed: at least one action gave up

**\`mend\`** (spawn_fallback_agent): **failed**

- launcher \`claude\`: **failed** after 2 attempts \`exit code 1\`, said at the end: \`out of ⏎ credit\`
- launcher \`codex\`: **failed** \`exit code 2\`
- agent of \`codex\`: **failed**
- \`output: no luck\`

**\`warm\`** (warm_remote_capacity): **executed**: \`Remote capacity warmed for environment env-1\`

**\`tell\`** (notify_team): **failed**

- \`email/bob\`: **failed** \`550 no such user\`
- \`email/ada\`: **delivered** after 2 attempts, before that \`451 later\`

Nothing more happens here.

To have what is not done run again: \`npx mesh retry remediation/default/a-rule/e-1\`

The rule may fire again from 2026-01-02 03:04:05 UTC on, or as soon as somebody re-arms it.`);
});

test('offers no retry where all is done', () => {
  const details = shown(aRemediation([WARM]), (progress) => progress.finish(warmed));

  expect(details).toMatch(/^### Done: every action that was due has run/);
  expect(details).not.toContain('mesh retry');
});

test('holds no list within a list, which the Temporal UI shows on one line, and stays text', () => {
  const details = shown(aRemediation([{ ...TELL, id: '**x** `y`' }]), (progress) =>
    progress.finish({ ...warmed, action: '**x** `y`', status: 'failed', reason: 'a\n- b `c`\r\n\u202e', detail: 'd' }),
  );

  expect(details).toContain('**`**x** ˋyˋ`** (notify_team): **failed**\n\n- `a ⏎ - b ˋcˋ ⏎ \\u202e`\n- `d`');
  expect(details).not.toMatch(/^[ \t]+- /m);
});
