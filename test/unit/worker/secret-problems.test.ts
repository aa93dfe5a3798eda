import { expect, test } from 'vitest';
import { parseMeshConfig } from '#config/mesh-config.js';
import { formatProblem } from '#contract/text/problem.js';
import { secretProblems, signingSecrets } from '#worker/secret-problems.js';

const CONFIG = {
  teams: {
    ops: {
      members: [{ name: 'ada' }],
      channels: [
        { type: 'slack', webhook: '${env:S}' },
        { type: 'webhook', url: 'https://example.com', secret: '${env:S}', previousSecret: '${env:OLD}' },
      ],
    },
  },
};
const GOOD = Buffer.from('a secret of thirty-two bytes, ok').toString('base64');

async function warned(env: Record<string, string>): Promise<string[]> {
  const parsed = parseMeshConfig(JSON.stringify(CONFIG), 'mesh.yaml');
  if (!parsed.ok) throw new Error(`the configuration of this test is not valid: ${JSON.stringify(parsed.problems)}`);
  return (await signingSecrets(parsed.value, env)).map(formatProblem);
}

test.each(['my secret!', 'whsec_', 'whsec_***'])(
  '%j is no signing secret, which is said without showing it',
  async (S) => {
    expect(await warned({ S })).toEqual([
      'teams.ops.channels[1].secret: ${env:S} is not whsec_ and a key in Base64: nothing can be signed with it (to make one: echo "whsec_$(openssl rand -base64 32)")',
    ]);
  },
);

test('the one that is going out of use is looked at, too', async () => {
  expect(await warned({ S: `whsec_${GOOD}`, OLD: 'my secret!' })).toEqual([
    expect.stringMatching(/^teams\.ops\.channels\[1\]\.previousSecret: \$\{env:OLD\} is not/),
  ]);
});

test('what signs is no reason to warn, with the prefix and without; nor is what cannot be read here', async () => {
  expect(await warned({ S: `whsec_${GOOD}`, OLD: GOOD })).toEqual([]);
  expect(await warned({})).toEqual([]);
});

test.each([
  [
    'set for nothing',
    undefined,
    { MESH_SMTP_URL: 'smtp://mail' },
    'MESH_SMTP_URL is set and nothing uses it: mails become files (write smtp: ${env:MESH_SMTP_URL})',
  ],
  ['not there', '${env:MAIL}', {}, '${env:MAIL} cannot be read here: environment variable MAIL is not set'],
  [
    'no address',
    '${env:MAIL}',
    { MAIL: 'me:secret@mail' },
    '${env:MAIL} is no address such as smtp://mail.example.com:587: no mail can be sent',
  ],
])('a mail server that is %s is told of, and not shown', async (_how, smtp, env, warning) => {
  const parsed = parseMeshConfig(JSON.stringify({ notify: { smtp } }), 'mesh.yaml');
  if (!parsed.ok) throw new Error('the configuration of this test is not valid');

  expect((await secretProblems(parsed.value, env)).map(formatProblem)).toEqual([`notify.smtp: ${warning}`]);
});

test('nothing is told of a mail server that can be used, or of none', async () => {
  for (const [notify, env] of [
    [{}, {}],
    [{ smtp: '${env:MAIL}' }, { MAIL: 'smtps://me:secret@mail:465' }],
  ]) {
    const parsed = parseMeshConfig(JSON.stringify({ notify }), 'mesh.yaml');
    expect(parsed.ok && (await secretProblems(parsed.value, env ?? {}))).toEqual([]);
  }
});
