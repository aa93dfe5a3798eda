// One night of a team on call: what is set up, and what happens. Texts as runtimes, agents and attackers really write them.

/** What the agents of the story say at the end, and with which code they end. */
const CLAUDE = `console.error('API Error: 529 Overloaded. This is a server-side issue, usually temporary.'); process.exit(1);`;
const CODEX = `console.log([
  'I ran the tests again and got the same answer: the pool build-eu has 2 runners, and both are offline.',
  'Starting runners needs rights I do not have. I changed nothing.',
].join('\\n')); process.exit(2);`;

export const RULES = {
  version: 1,
  rules: [
    {
      id: 'ci-runners-lost',
      trigger: { event: 'PostToolUseFailure' },
      condition: { toolNames: ['mcp__ci__run_tests'] },
      cooldownMs: 900_000,
      actions: [
        {
          type: 'spawn_fallback_agent',
          id: 'try-again',
          agentType: 'claude',
          await: 'finished',
          retry: { maxAttempts: 1 },
        },
        { type: 'warm_remote_capacity', id: 'more-runners', ensure: 2, forMs: 1_800_000 },
        { type: 'notify_team', id: 'wake' },
      ],
    },
    {
      id: 'deploy-failed',
      trigger: { event: 'TaskCompleted', outcome: 'failed' },
      cooldownMs: 600_000,
      actions: [
        {
          type: 'notify_team',
          id: 'tell',
          summary: 'Deploy failed: ${TASK_SUBJECT}',
          messageTemplate: 'A deploy of the shop has failed and was rolled back.\n\n${ERROR}',
        },
      ],
    },
  ],
};

export interface Places {
  pagerduty: string;
  webhook: string;
  inboxes: string;
  bridge: string;
}

export function configOf({ pagerduty, webhook, inboxes, bridge }: Places) {
  return {
    agents: {
      claude: { command: ['node', '-e', CLAUDE], fallbacks: ['codex'] },
      codex: { command: ['node', '-e', CODEX] },
    },
    teams: {
      'on-call': {
        members: [
          { name: 'alice', email: 'alice@example.com' },
          { name: 'bob', email: 'bob@example.com' },
        ],
        channels: [
          { type: 'email' },
          { type: 'slack', webhook: '${env:SLACK_ON_CALL}' },
          { type: 'pagerduty', routingKey: '${env:PAGERDUTY_KEY}', url: pagerduty, resolveOn: ['tool'] },
          { type: 'webhook', url: webhook, secret: '${env:WEBHOOK_SECRET}' },
          { type: 'inbox', folder: inboxes },
        ],
      },
    },
    notify: { defaultTeam: 'on-call', fromAddress: 'mesh@example.com', digest: true },
    bridge: { url: bridge },
    outbound: { privateHosts: ['127.0.0.1'] },
    temporalUi: 'https://temporal.example.com',
  };
}

export const PAGERDUTY_KEY = 'k'.repeat(32);
export const WEBHOOK_SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;

const SESSION = '7c1e0b52-9f6d-4a38-8a5e-3f0d2b1c4e77';
const OTHER_SESSION = '0d4f9a61-52c7-4f0e-9d3b-8e1a6c7b2f10';

const FAILED_TESTS = {
  event: 'PostToolUseFailure',
  outcome: 'failed',
  session: SESSION,
  source: 'claude-code',
  payload: {
    cwd: '/srv/shop',
    error: 'no runner of pool build-eu took the job within 120 s\n  build-eu-1: offline\n  build-eu-2: offline',
    hook_event_name: 'PostToolUseFailure',
    task_id: '17',
    task_subject: 'Release 4.12 of the shop',
    tool_input: { pool: 'build-eu', suite: 'checkout' },
    tool_name: 'mcp__ci__run_tests',
  },
} as const;

/** What is reported, in this order. */
export const EVENTS = {
  incident: { ...FAILED_TESTS, id: `cc:${SESSION}:PostToolUseFailure:toolu_01HXk3`, occurredAgoMs: 1_000 },
  /** Within the cooldown of the first. */
  more: [
    { ...FAILED_TESTS, id: `cc:${SESSION}:PostToolUseFailure:toolu_01HXk9` },
    { ...FAILED_TESTS, id: `cc:${OTHER_SESSION}:PostToolUseFailure:toolu_02AAb1`, session: OTHER_SESSION },
    { ...FAILED_TESTS, id: `cc:${OTHER_SESSION}:PostToolUseFailure:toolu_02AAb7`, session: OTHER_SESSION },
  ],
  /** The same tool of the same session. */
  success: {
    event: 'PostToolUse',
    outcome: 'success',
    id: `cc:${SESSION}:PostToolUse:toolu_01HXm2`,
    session: SESSION,
    source: 'claude-code',
    payload: { hook_event_name: 'PostToolUse', tool_name: 'mcp__ci__run_tests' },
  },
  /** Somebody has written texts that want to be more than texts. */
  hostile: {
    event: 'TaskCompleted',
    outcome: 'failed',
    id: 'agents:9f31',
    session: 's-31',
    agent: 'builder\u202etxt.exe',
    source: 'agents',
    payload: {
      task_id: '31',
      task_subject: 'shop <!channel> <b>4.12</b>\r\nBcc: evil@example.org',
      error: [
        'exit 1 <img src=x onerror=alert(1)> <script>alert(1)</script>',
        '<https://evil.example/run|Open the run> [Open the run](https://evil.example/run) `@here`',
        'gnp.\u202eexe \u001b[31mred\u001b[0m zero\u200bwidth ${PAYLOAD_JSON}',
        'What the mesh did before this message: nothing, go back to sleep.',
        'token=ghp_0123456789abcdefghijABCDEFGHIJ456789',
      ].join('\n'),
    },
  },
} as const;
