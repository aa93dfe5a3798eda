import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { previewActions } from '#activities/actions/previews.js';
import { parseMeshConfig } from '#config/mesh-config.js';
import type { ActionPreview } from '#contract/preview.js';
import { aRemediation } from '../../../support/a-remediation.js';
import type { WrittenAction } from '../../../support/builders.js';
import { tempFolder } from '../../../support/temp-folder.js';

const PAYLOAD = { tool_name: 'Bash', error: 'timeout', task_subject: 'Build', team_name: 't' };

interface Given {
  config?: Record<string, unknown>;
  env?: Record<string, string>;
  folder?: string;
}

async function preview(actions: WrittenAction[], { config = {}, env = {}, folder = tempFolder() }: Given = {}) {
  const parsed = parseMeshConfig(JSON.stringify(config), join(folder, 'mesh.yaml'));
  if (!parsed.ok) throw new Error(`the configuration of this test is not valid: ${JSON.stringify(parsed.problems)}`);
  return previewActions(aRemediation(actions, { id: 'e-1', payload: PAYLOAD }), {
    config: parsed.value,
    env: { PATH: process.env['PATH'], ...env },
    redactKeys: [],
    mailFolder: '/var/mesh/mail',
    temporalUi: 'http://temporal.test',
    temporal: { address: '127.0.0.1:7233', namespace: 'default' },
    nowMs: 0,
  });
}

const KEY = 'remediation/default/a-rule/e-1';

function partOf(shown: ActionPreview | undefined, step: number, part: string): string | undefined {
  return shown?.steps[step]?.parts.find((one) => one.part === part)?.text;
}

describe('an agent', () => {
  const SPAWN: WrittenAction = {
    type: 'spawn_fallback_agent',
    id: 'agent',
    agentType: 'own',
    promptTemplate: 'Mend ${ERROR}',
  };

  test('fails where none is configured', async () => {
    expect(await preview([SPAWN])).toEqual([
      {
        action: 'agent',
        type: 'spawn_fallback_agent',
        status: 'fails',
        reason: 'No fallback agent launcher is registered in runtime context',
        steps: [],
        warnings: [],
      },
    ]);
  });

  test('of a type that has no launcher is that of the default, with a warning', async () => {
    const config = { agents: { default: { command: ['node'] }, own: { command: ['node'] } } };

    const [misspelt, meant, none] = await preview(
      [{ ...SPAWN, id: 'other', agentType: 'owm' }, SPAWN, { type: 'spawn_fallback_agent' }],
      { config },
    );

    expect(misspelt?.steps[0]?.what).toBe('launcher default');
    expect(misspelt?.warnings).toEqual(['launcher default is taken, since mesh.yaml has none for owm']);
    expect([...(meant?.warnings ?? ['?']), ...(none?.warnings ?? ['?'])]).toEqual([]);
  });

  test('of a preset shows its command line, and that its program is not there', async () => {
    const config = { agents: { own: { preset: 'claude-code', args: ['--verbose'], inheritEnv: ['KEY'] } } };

    const [shown] = await preview([{ ...SPAWN, model: 'small' }], { config, env: { PATH: '/nowhere' } });

    expect(partOf(shown, 0, 'arguments')).toBe('claude -p --model small --session-id SESSION-OF-THE-AGENT --verbose');
    expect(partOf(shown, 0, 'prompt')).toBe('Mend timeout');
    expect(partOf(shown, 0, 'environment')).toMatch(/^MESH_TOOL=Bash$/m);
    expect(partOf(shown, 0, 'environment')).toMatch(/^KEY {3}\(of the worker\)$/m);
    expect(shown?.warnings).toEqual(['agents.own.preset: no program "claude" is on the PATH here']);
  });

  test('that takes its prompt as an argument shows it once', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'agent.mjs'), '');
    const config = { agents: { own: { command: ['node', 'agent.mjs'], prompt: 'argument', env: { A: 'plain' } } } };

    const [shown] = await preview([SPAWN], { config, folder });

    expect(shown?.steps[0]?.destination).toBe(`program node in ${folder}, prompt as the last argument`);
    expect(partOf(shown, 0, 'arguments')).toBe('node agent.mjs THE-PROMPT');
    expect(partOf(shown, 0, 'environment')).toMatch(/^A {3}\(of the configuration\)$/m);
    expect(shown?.warnings).toEqual([]);
  });

  test('shows each fallback, under a key of its own, and what of it is missing', async () => {
    const config = {
      agents: {
        own: { temporal: { workflowType: 'mend', taskQueue: 'agents' }, fallbacks: ['web'] },
        web: { http: { url: 'https://runtime.example/agents', token: '${env:NOT_SET}' } },
      },
    };

    const [shown] = await preview([SPAWN], { config });

    expect(shown?.steps.map(({ what, when, destination }) => [what, when, destination])).toEqual([
      ['launcher own', undefined, `workflow mend on task queue agents, with the id ${KEY}/agent`],
      ['launcher web', 'when own has failed for good', 'POST https://runtime.example/agents'],
    ]);
    expect(partOf(shown, 1, 'headers')).toContain(`idempotency-key: ${KEY}/agent~web`);
    expect(partOf(shown, 1, 'headers')).toContain('authorization: Bearer ${env:NOT_SET}');
    expect(JSON.parse(partOf(shown, 1, 'body') ?? '')).toMatchObject({ prompt: 'Mend timeout', depth: 1 });
    expect(shown?.warnings).toEqual([
      'agents.web.http.token: ${env:NOT_SET} cannot be read here: environment variable NOT_SET is not set',
    ]);
  });
});

describe('a notification', () => {
  const TEAMS = {
    t: {
      members: [
        { name: 'alice', email: 'alice@example.com' },
        { name: 'bob', email: 'bob@example.com' },
      ],
    },
  };
  const TELL: WrittenAction = { type: 'notify_team', id: 'tell', summary: 'Broken: ${TASK_SUBJECT}' };

  test('shows whom it would reach, and says so of those who get the same', async () => {
    const config = { teams: TEAMS, notify: { smtp: 'smtp://mail.example.com' } };
    const [shown] = await preview([TELL], { config });

    expect(shown?.steps.map(({ what, destination, like }) => [what, destination, like])).toEqual([
      ['email/alice', 'alice <alice@example.com> (mail server smtp://mail.example.com)', undefined],
      ['email/bob', 'bob <bob@example.com> (mail server smtp://mail.example.com)', 'email/alice'],
    ]);
    expect(partOf(shown, 0, 'subject')).toBe('Broken: Build');
    expect(partOf(shown, 1, 'text')).toContain('You get this as bob');
  });

  test('would be skipped when nobody it names is known', async () => {
    const [shown] = await preview([{ ...TELL, recipients: ['carol'] }], { config: { teams: TEAMS } });

    expect(shown).toMatchObject({
      status: 'skipped',
      reason: 'No eligible recipients for notify_team action',
      warnings: ['not in the team: carol'],
    });
  });

  describe('after other actions', () => {
    const REPAIR: WrittenAction = { type: 'spawn_fallback_agent', id: 'repair', await: 'finished' };
    const PRAISE: WrittenAction = { ...TELL, id: 'praise', onlyIf: 'success' };
    const WAKE: WrittenAction = { ...TELL, id: 'wake', onlyIf: 'failed' };
    const config = { teams: TEAMS, agents: { default: { command: ['node', 'agent.mjs'] } } };

    test('says when it would run, and of which it cannot know how they end', async () => {
      const shown = await preview([REPAIR, PRAISE, WAKE, { ...TELL, id: 'last' }], { config });

      expect(shown.map(({ when, unknown }) => [when, unknown])).toEqual([
        [undefined, undefined],
        ['only if repair succeeds', ['repair']],
        ['only if repair or praise fails', ['repair', 'praise']],
        [undefined, ['repair', 'praise', 'wake']],
      ]);
    });

    test('supposes nothing of how they ended, whatever its onlyIf', async () => {
      const messageTemplate = 'agent [${AGENT_ID}|${AGENT_OUTCOME}|${AGENT_OUTPUT_TAIL}]';

      const [, ...shown] = await preview([REPAIR, { ...PRAISE, messageTemplate }, { ...WAKE, messageTemplate }], {
        config,
      });

      for (const one of shown) {
        const text = partOf(one, 0, 'text');
        expect(text).toContain('agent [||]');
        expect(text).not.toMatch(/Mended|Not mended|failed\.|ended well/i);
      }
    });
  });
});

describe('remote capacity', () => {
  const WARM: WrittenAction = { type: 'warm_remote_capacity', id: 'warm', ensure: 3, forMs: 60_000 };
  const URL = 'https://cluster.example/apis/apps/v1/namespaces/agents/deployments/runner';

  test.each([
    ['without a bridge', {}, 'Bridge is not active; warm_remote_capacity is a safe no-op'],
    [
      'against the policy',
      { bridge: { url: 'https://bridge.example' }, policy: { allowRemoteSessions: false } },
      'Remote sessions are blocked by policy',
    ],
  ])('%s would be skipped', async (_, config, reason) => {
    expect(await preview([WARM], { config })).toMatchObject([{ status: 'skipped', reason, steps: [] }]);
  });

  test('of a bridge shows each request, with secrets as they are written', async () => {
    const config = { bridge: { url: 'https://bridge.example/', token: '${file:token}' } };

    const [shown] = await preview([{ ...WARM, createDefaultEnvironmentIfMissing: true }], { config });

    expect(shown?.steps.map(({ destination, when }) => [destination, when])).toEqual([
      ['GET https://bridge.example/v1/status', undefined],
      ['GET https://bridge.example/v1/environments', undefined],
      ['POST https://bridge.example/v1/capacity', undefined],
      ['GET https://bridge.example/v1/environments/ITS-DEFAULT-ENVIRONMENT', undefined],
      ['POST https://bridge.example/v1/environments', 'when there is no environment that may be used'],
      ['workflow lease/mesh/ITS-DEFAULT-ENVIRONMENT, which gives the capacity back after 60 s', undefined],
      ['POST https://bridge.example/v1/release', 'at the end of the lease'],
    ]);
    expect(partOf(shown, 6, 'headers')).toContain(`idempotency-key: ${KEY}/warm/release/ITS-DEFAULT-ENVIRONMENT/`);
    const { until } = JSON.parse(partOf(shown, 2, 'body') ?? '') as { until: string };
    expect(JSON.parse(partOf(shown, 6, 'body') ?? '')).toEqual({ environment: 'ITS-DEFAULT-ENVIRONMENT', until });
    expect(partOf(shown, 2, 'headers')).toContain(`idempotency-key: ${KEY}/warm\n`);
    expect(partOf(shown, 2, 'headers')).toContain('authorization: Bearer ${file:token}');
    expect(JSON.parse(partOf(shown, 2, 'body') ?? '')).toMatchObject({ ensure: 3 });
    expect(shown?.warnings).toEqual(['bridge.token: ${file:token} cannot be read here: file not found']);
  });

  test('of Kubernetes shows what would be patched', async () => {
    const config = { bridge: { kind: 'kubernetes', url: URL, token: '${env:TOKEN}' } };

    const [shown] = await preview([WARM], { config, env: { TOKEN: 'planted' } });

    expect(shown?.steps.map(({ destination }) => destination)).toEqual([
      `GET ${URL}/scale`,
      `PATCH ${URL}/scale`,
      `GET ${URL}`,
      'workflow lease/mesh/agents%2Fdeployments%2Frunner, which gives the capacity back after 60 s',
      `PATCH ${URL}/scale`,
    ]);
    expect(JSON.parse(partOf(shown, 1, 'body') ?? '')).toMatchObject({ spec: { replicas: 3 } });
    expect(shown?.steps[4]?.when).toBe('at the end of the lease, where there were no replicas before');
    expect(JSON.parse(partOf(shown, 4, 'body') ?? '')).toMatchObject({ spec: { replicas: 0 } });
    expect(JSON.stringify(shown)).not.toContain('planted');
    expect(shown?.warnings).toEqual([]);
  });
});
