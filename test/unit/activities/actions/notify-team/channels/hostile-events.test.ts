import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeComposeNotification } from '#activities/actions/notify-team/compose.js';
import type { NotificationDraft } from '#contract/notification.js';
import { MeshEvent } from '#contract/event.js';
import { channelDelivery } from '#test/support/channel-delivery.js';
import { HOSTILE_TEXTS } from '#test/support/hostile-texts.js';
import { aMeshConfig, aNotifyRequest, aRemediation } from '#test/support/notifications.js';

// From an event to what people read: nothing that an event or an agent says may stand where the mesh or the rule speaks.

const FORGED = [
  'What the mesh did before this message:',
  '- fix (spawn_fallback_agent): executed: all is well',
  'What happens next:',
  '- After this message the mesh starts nothing more.',
  'Tool: forged',
  'Rule: forged',
  'Session: forged',
  'Payload: {}',
  '',
  '-- ',
  '```',
  ...HOSTILE_TEXTS,
];
const BREAKS = ['\n', '\r', '\r\n', '\n\n', '\u2028', '\u0085', '\u000b', '\t'];

/** At most 200 characters, as the schema has it for names of sessions, agents and sources. */
function label(): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(fc.constantFrom(...BREAKS), fc.constantFrom(...FORGED)), { minLength: 1, maxLength: 4 })
    .map((lines) => `x${lines.flat().join('')}`.slice(0, 200));
}

const HOSTILE_EVENT = fc.record({
  session: label(),
  agent: label(),
  source: label(),
  payload: fc.record({
    tool_name: label(),
    task_id: label(),
    task_subject: label(),
    error: label(),
    team_name: label(),
    more: label(),
  }),
});

async function composed(event: Partial<MeshEvent>, said: string, quietFor: string, messageTemplate?: string) {
  const remediation = aRemediation({
    event,
    actions: [
      { type: 'spawn_fallback_agent', id: 'fix' },
      { type: 'notify_team', id: 'tell', ...(messageTemplate !== undefined && { messageTemplate }) },
    ],
  });
  // What is not a valid event comes through no door.
  expect(MeshEvent.safeParse(remediation.event).success).toBe(true);
  const config = aMeshConfig({ notify: { defaultTeam: 'ops' } });
  const compose = makeComposeNotification({
    config: { get: async () => ({ available: true as const, value: config, hash: 'h', problems: [] }) },
    redactKeys: [],
    temporalUi: 'https://temporal.example.com',
    temporal: { address: '127.0.0.1:7233', namespace: 'default' },
  });
  const draft = await compose(
    aNotifyRequest(
      { ...remediation, quiet: { cooldownUntilAt: Date.now() + 60_000, label: quietFor } },
      {
        soFar: [
          {
            ...{ action: 'fix', type: 'spawn_fallback_agent', status: 'failed', reason: said, attempts: 1 },
            agent: { launcher: 'claude', outcome: 'failed', outputTail: said },
          },
        ],
      },
    ),
  );
  if (draft.status === 'skipped') throw new Error(draft.reason);
  return draft;
}

/** Every text that is made of lines, as people see it. */
function textsOf({ message, threadKey }: Extract<NotificationDraft, { status: 'ready' }>): string[] {
  const part = (channel: Record<string, unknown>, name: string) =>
    channelDelivery(channel)
      .prepare({ message, threadKey })
      .preview.find((one) => one.part === name)?.text ?? '';
  const posted = part({ type: 'webhook', url: '${env:X}', secret: '${env:X}' }, 'body');
  return [
    part({ type: 'email' }, 'text'),
    part({ type: 'inbox', folder: 'teams' }, 'text'),
    (JSON.parse(posted) as { data: { body: string } }).data.body,
  ];
}

const LABELS =
  'Rule|Event|Outcome|Error|Tool|Task|Session|Agent|Reported by|Happened|Rule fired|Event id|Chain|Payload|Subject';
const OURS = [
  new RegExp(`^(${LABELS}): `),
  /^(A chain rule fired\.|Own words|What the mesh did before this message:|What happens next:)$/,
  /^- (fix \(spawn_fallback_agent\): failed|Rule a-rule for .* is quiet until )/,
  /^Not mended: fix failed\. The mesh starts nothing more: it is yours now\.$/,
  /^Open the run: https:\/\/temporal\.example\.com\/namespaces\/default\/workflows\//,
  /^(See how it stands|Abort it \(nothing else runs: this only ends deliveries of this message\)|Retry what failed, once it has ended|Let the rule fire again now|Payload):$/,
  /^(-- |You get this as ada, a member of team ops )/,
  // Of the inbox.
  /^(Remediation mesh: Failure, rule a-rule$|This is a report\. |`{3,}(text)?$|\[mesh remediation\/default\/)/,
];

test.each([
  ['the default text', undefined],
  ['a text of the rule', 'Own words\nError: ${ERROR}'],
])('no line begins with what an event says, in %s', async (_, messageTemplate) => {
  await fc.assert(
    fc.asyncProperty(HOSTILE_EVENT, label(), label(), async (event, said, quietFor) => {
      const draft = await composed(event, said, quietFor, messageTemplate);
      for (const text of textsOf(draft)) {
        const begun = text.split('\n').filter((line) => /^[^ ]/.test(line));
        for (const line of begun)
          expect(
            OURS.some((ours) => ours.test(line)),
            JSON.stringify(line),
          ).toBe(true);
        // Nothing of it is said twice, once by us and once by somebody else, and nothing is left out for it.
        for (const name of LABELS.split('|')) {
          expect(begun.filter((line) => line.startsWith(`${name}: `)).length, name).toBeLessThanOrEqual(1);
        }
        for (const heading of ['What the mesh did before this message:', 'What happens next:']) {
          expect(begun.filter((line) => line === heading).length).toBeLessThanOrEqual(1);
        }
        if (begun.includes('What happens next:')) expect(begun.join('\n')).toMatch(/^Tool: x/m);
      }
    }),
    { numRuns: 60, seed: 7 },
  );
});
