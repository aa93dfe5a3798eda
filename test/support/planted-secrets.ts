/** A secret where agents leave them: in what a runtime's hook reports. */
export interface PlantedSecret {
  name: string;
  /** What must be found nowhere afterwards. */
  secret: string;
  payload: Record<string, unknown>;
}

/** Each differs from all others. Put together here, so that no scanner takes one of them for real. */
function fake(name: string, chars = 24, prefix = ''): string {
  return prefix + `F4ke${name}${'zQ9xR2mT'.repeat(12)}`.slice(0, chars);
}

const BASE = {
  session_id: '5f0c7c1e-0d7c-4a53-9d0e-0c4a2b1f7e11',
  transcript_path: '/srv/agent/.claude/projects/app/5f0c7c1e.jsonl',
  cwd: '/srv/agent/app',
  permission_mode: 'default',
  prompt_id: 'prompt-7',
};

function failedTool(tool: string, input: Record<string, unknown>, error: string): Record<string, unknown> {
  return {
    ...BASE,
    hook_event_name: 'PostToolUseFailure',
    tool_name: tool,
    tool_input: input,
    tool_use_id: 'toolu_01A7bC9dE1fG3hI5jK7lM9nO',
    error,
    is_interrupt: false,
    duration_ms: 812,
  };
}

function inCommand(name: string, secret: string, command: string): PlantedSecret {
  return {
    name,
    secret,
    payload: failedTool('Bash', { command, description: 'Run it' }, 'Exit code 1\nsomething went wrong'),
  };
}

function inError(name: string, secret: string, error: string): PlantedSecret {
  return { name, secret, payload: failedTool('Bash', { command: 'npm test' }, error) };
}

function inInput(name: string, secret: string, input: Record<string, unknown>): PlantedSecret {
  return { name, secret, payload: failedTool('mcp__tracker__call', input, 'the server said no') };
}

function inOutput(name: string, secret: string, stdout: string): PlantedSecret {
  return {
    name,
    secret,
    payload: {
      ...BASE,
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'cat .env' },
      tool_response: { stdout, stderr: '', interrupted: false, isImage: false },
      tool_use_id: 'toolu_01P9qR7sT5uV3wX1yZ0aB2cD',
    },
  };
}

const awsId = 'AK' + 'IA' + 'F4KEF4KEF4KE2345';
const jwt = ['ey' + 'JhbGciOiJIUzI1NiJ9', 'ey' + 'JzdWIiOiJmYWtlIn0', fake('Sig', 43)].join('.');
const pemBody = fake('Pem', 64);
const cutPemBody = fake('CutPem', 64);
const variablePemBody = fake('VarPem', 64);
const linePemBody = fake('LinePem', 64);
const listPemBody = fake('ListPem', 64);
const cutListPemBody = fake('CutList', 64);
const pemHead = '-----BEGIN ' + 'RSA PRIVATE KEY-----';
const pemFoot = '-----END ' + 'RSA PRIVATE KEY-----';
const slackPath = ['T0F4KE', 'B0F4KE', fake('Hook')].join('/');
const basic = Buffer.from(`bob:${fake('Basic', 12)}`).toString('base64');

const inCommands: PlantedSecret[] = [
  inCommand(
    'bearer header of curl',
    fake('CmdA'),
    `curl -sS -H "Authorization: Bearer ${fake('CmdA')}" https://api.example.com`,
  ),
  inCommand('basic header of curl', basic, `curl -H 'Authorization: Basic ${basic}' https://api.example.com/v1`),
  inCommand('user of curl', fake('CmdB', 12), `curl -u deploy:${fake('CmdB', 12)} -O https://dl.example.com/app.tgz`),
  inCommand('cookie of curl', fake('CmdC'), `curl --cookie "sid=${fake('CmdC')}; theme=dark" https://example.com`),
  inCommand('cookie header', fake('CmdD'), `curl -H 'Cookie: sid=${fake('CmdD')}; theme="dark"' https://example.com`),
  inCommand('api key header', fake('CmdE'), `http POST https://api.example.com X-Api-Key:${fake('CmdE')} name=x`),
  inCommand(
    'password of mysql',
    fake('CmdF', 12),
    `mysql --host db --user app --password=${fake('CmdF', 12)} -e 'select 1'`,
  ),
  inCommand(
    'password of psql',
    fake('CmdG', 12),
    `PGPASSWORD=${fake('CmdG', 12)} psql -h db.internal -U app -c 'select 1'`,
  ),
  inCommand(
    'password after a flag',
    fake('CmdH', 12),
    `tool login --user bob --password '${fake('CmdH', 12)}' --force`,
  ),
  inCommand('password of sshpass', fake('CmdI', 12), `sshpass -p ${fake('CmdI', 12)} ssh root@10.0.0.5 uptime`),
  inCommand('exported variable', fake('CmdJ'), `export DEPLOY_API_KEY="${fake('CmdJ')}" && ./deploy.sh`),
  inCommand('variable of fish', fake('CmdK'), `set -x CI_TOKEN ${fake('CmdK')}; make release`),
  inCommand(
    'database address',
    fake('CmdL', 12),
    `psql postgres://app:${fake('CmdL', 12)}@db.internal:5432/app -c '\\dt'`,
  ),
  inCommand('odd database address', fake('CmdM', 12), `psql 'postgres://app:p/${fake('CmdM', 12)}@db.internal/app'`),
  inCommand(
    'token in a git address',
    fake('CmdN', 36, 'gh' + 'p_'),
    `git clone https://${fake('CmdN', 36, 'gh' + 'p_')}@github.com/a/b`,
  ),
  inCommand(
    'query of an address',
    fake('CmdO'),
    `curl "https://api.example.com/v1/x?page=2&access_token=${fake('CmdO')}&n=1"`,
  ),
  inCommand('webhook of Slack', slackPath, `curl -d '{"text":"hi"}' https://hooks.slack.com/services/${slackPath}`),
  inCommand(
    'secret of Kubernetes',
    fake('CmdP', 12),
    `kubectl create secret generic db --from-literal=password=${fake('CmdP', 12)}`,
  ),
  inCommand(
    'secret of AWS',
    fake('CmdQ', 40),
    `aws configure set aws_secret_access_key ${fake('CmdQ', 40)} --profile ci`,
  ),
  inCommand(
    'JSON in a command',
    fake('CmdR', 12),
    `curl -d "{\\"user\\":\\"bob\\",\\"password\\":\\"${fake('CmdR', 12)}\\"}" https://example.com`,
  ),
];

const inErrors: PlantedSecret[] = [
  inError('key id of AWS', awsId, `InvalidClientTokenId: ${awsId} is not known (request 4f1c)`),
  inError(
    'GitHub token',
    fake('ErrA', 82, 'github' + '_pat_'),
    `remote: bad credentials ${fake('ErrA', 82, 'github' + '_pat_')}`,
  ),
  inError(
    'GitLab token',
    fake('ErrB', 20, 'gl' + 'pat-'),
    `401 for ${fake('ErrB', 20, 'gl' + 'pat-')}: insufficient_scope`,
  ),
  inError(
    'Slack token',
    fake('ErrC', 40, 'xo' + 'xb-1234-'),
    `slack: invalid_auth (${fake('ErrC', 40, 'xo' + 'xb-1234-')})`,
  ),
  inError('JSON Web Token', jwt, `jwt expired: ${jwt}\n    at verify (verify.js:152:21)`),
  inError(
    'OpenAI key',
    fake('ErrD', 48, 's' + 'k-proj-'),
    `Incorrect API key provided: ${fake('ErrD', 48, 's' + 'k-proj-')}.`,
  ),
  inError(
    'Anthropic key',
    fake('ErrE', 60, 's' + 'k-ant-api03-'),
    `authentication_error for ${fake('ErrE', 60, 's' + 'k-ant-api03-')}`,
  ),
  inError('Google key', fake('ErrF', 35, 'AI' + 'za'), `API key not valid: ${fake('ErrF', 35, 'AI' + 'za')}`),
  inError('npm token', fake('ErrG', 36, 'np' + 'm_'), `npm ERR! code E401 for ${fake('ErrG', 36, 'np' + 'm_')}`),
  inError(
    'Stripe key',
    fake('ErrH', 24, 'sk' + '_live_'),
    `Invalid API Key provided: ${fake('ErrH', 24, 'sk' + '_live_')}`,
  ),
  inOutput(
    'lineage token of the mesh',
    fake('Lin0', 43, 'mesh1.WyJlLTAiLDEsWyJyIl0.'),
    `MESH_DEPTH=1\nMESH_X=${fake('Lin0', 43, 'mesh1.WyJlLTAiLDEsWyJyIl0.')}\nPATH=/usr/bin`,
  ),
  inError(
    'SendGrid key',
    fake('ErrI', 43, 'SG.' + 'abcdefghijklmnopqrstuv.'),
    `403: ${fake('ErrI', 43, 'SG.' + 'abcdefghijklmnopqrstuv.')}`,
  ),
  inError(
    'proxy address',
    fake('ErrJ', 12),
    `npm ERR! proxy http://bob:${fake('ErrJ', 12)}@proxy.internal:3128 refused`,
  ),
  inError('header in a trace', fake('ErrK'), `> GET /v1 HTTP/2\n> authorization: Bearer ${fake('ErrK')}\n< HTTP/2 401`),
  inError(
    'connection string',
    fake('ErrL', 12),
    `cannot open Server=db;Database=app;User Id=sa;Password=${fake('ErrL', 12)};`,
  ),
];

const inOutputs: PlantedSecret[] = [
  inOutput('dump of variables', fake('OutA', 12), `HOME=/srv\nDB_PASS=${fake('OutA', 12)}\nPATH=/usr/bin`),
  inOutput('private key', pemBody, `${pemHead}\n${pemBody}\n${pemFoot}\n`),
  inOutput('private key that was cut', cutPemBody, `${pemHead}\n${cutPemBody}\n${cutPemBody.slice(0, 40)}`),
  inOutput(
    'private key in a variable',
    variablePemBody,
    `MODE=ci\nDEPLOY_PRIVATE_KEY="${pemHead}\n${variablePemBody}\n${pemFoot}"\n`,
  ),
  inOutput(
    'private key on one line',
    linePemBody,
    `{"private_key_id":"7","key":"${pemHead}\\n${linePemBody}\\n${pemFoot}\\n"}`,
  ),
  inOutput('YAML', fake('OutB', 12), `db:\n  user: app\n  password: ${fake('OutB', 12)}\n  port: 5432\n`),
  inOutput(
    'variable of a pod',
    fake('OutC', 12),
    `    - name: DB_PASSWORD\n      value: ${fake('OutC', 12)}\n    - name: MODE\n`,
  ),
  inOutput('JSON', fake('OutD', 12), `{"user":"app","clientSecret":"${fake('OutD', 12)}","port":1}`),
  inOutput('header in JSON', fake('OutJ'), `[{"header": "x-api-key", "value": "${fake('OutJ')}"}]`),
  inOutput('npm configuration', fake('OutE'), `//npm.example.com/:_authToken=${fake('OutE')}\nsave-exact=true\n`),
  inOutput('netrc', fake('OutF', 12), `machine api.example.com login bob password ${fake('OutF', 12)}\n`),
  inOutput('Docker configuration', fake('OutG'), `{"auths":{"hub.example.com":{"auth":"${fake('OutG')}"}}}`),
  inOutput(
    'properties',
    fake('OutH', 12),
    `spring.datasource.username=app\nspring.datasource.password = ${fake('OutH', 12)}\n`,
  ),
  inOutput(
    'Maven settings',
    fake('OutI', 12),
    `<server><username>bob</username><password>${fake('OutI', 12)}</password></server>`,
  ),
];

const inInputs: PlantedSecret[] = [
  inInput('key of a tool', fake('InpA'), { apiKey: fake('InpA'), project: 'app' }),
  inInput('headers of a tool', fake('InpB'), { headers: { Accept: '*/*', 'X-Auth-Token': fake('InpB') } }),
  inInput('variables of a tool', fake('InpC', 12), { env: { MODE: 'ci', AWS_SECRET_ACCESS_KEY: fake('InpC', 12) } }),
  inInput('credentials as an object', fake('InpD', 12), { credentials: { user: 'bob', key: fake('InpD', 12) } }),
  inInput('password that is a number', '9041772635', { login: { user: 'bob', password: 9041772635 } }),
  inInput('list of arguments', fake('InpE', 12), { args: ['login', '--password', fake('InpE', 12), '--force'] }),
  inInput('name and value', fake('InpF', 12), { variables: [{ name: 'DB_PASSWORD', value: fake('InpF', 12) }] }),
  inInput('field and value', fake('InpJ', 12), { fields: [{ field: 'password', value: fake('InpJ', 12) }] }),
  inInput('header and value', fake('InpK'), { set: [{ header: 'x-api-key', value: fake('InpK') }] }),
  inInput('headers in turn', fake('InpL'), { rawHeaders: ['Accept', '*/*', 'X-Api-Key', fake('InpL')] }),
  inInput('headers in pairs', fake('InpM'), {
    headers: [
      ['accept', '*/*'],
      ['authorization', fake('InpM')],
    ],
  }),
  inInput('cookie in a pair', fake('InpN'), { headers: [['cookie', `sid=${fake('InpN')}`]] }),
  inInput('private key in lines', listPemBody, { lines: ['# key', pemHead, listPemBody, pemFoot, '# end'] }),
  inInput('private key in lines that was cut', cutListPemBody, {
    lines: [pemHead, 'Proc-Type: 4,ENCRYPTED', '', cutListPemBody, cutListPemBody.slice(0, 40)],
  }),
  inInput('key that is a secret', fake('InpG', 36, 'gh' + 's_'), { seen: { [fake('InpG', 36, 'gh' + 's_')]: 3 } }),
  inInput('mail account', fake('InpH', 12), { smtp: { auth: { user: 'bob', pass: fake('InpH', 12) } } }),
  inInput('file that is written', fake('InpI'), {
    file_path: '/srv/app/.env',
    content: `MODE=ci\nSESSION_SECRET=${fake('InpI')}\n`,
  }),
];

export const PLANTED_SECRETS: readonly PlantedSecret[] = [...inCommands, ...inErrors, ...inOutputs, ...inInputs];
