import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor, REDACTED } from '#contract/text/redact/redact.js';
import { PLANTED_SECRETS } from '#test/support/planted-secrets.js';

const { text, value } = createRedactor();

const GITHUB = 'gh' + 'p_' + 'F4keF4ke'.repeat(5);
const OTHER_GITHUB = 'gh' + 'p_' + '0therF4k'.repeat(5);
const AWS_ID = 'AK' + 'IA' + 'F4KEF4KEF4KE2345';
const HEAD = '-----BEGIN ' + 'PRIVATE KEY-----';
const FOOT = '-----END ' + 'PRIVATE KEY-----';

describe('of a planted secret nothing is left', () => {
  test.each(PLANTED_SECRETS)('$name', ({ secret, payload }) => {
    expect(JSON.stringify(payload)).toContain(secret);

    const redacted = JSON.stringify(value(payload));

    expect(redacted).not.toContain(secret);
    expect(redacted).toContain(REDACTED);
  });

  test('and no two are the same', () => {
    expect(new Set(PLANTED_SECRETS.map(({ secret }) => secret)).size).toBe(PLANTED_SECRETS.length);
  });
});

describe('what is no secret stays as it is', () => {
  test.each([
    'fatal: bad object 3f2a9c1b7d4e5f60718293a4b5c6d7e8f9012345',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'session 5f0c7c1e-0d7c-4a53-9d0e-0c4a2b1f7e11 not found',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'eyJhIjoxfQ==',
    '/srv/app/src/auth/token.ts:12:5 - error TS2304',
    'src/password-reset/index.ts',
    'cat: /run/secrets/db_password: Permission denied',
    'bash: GITHUB_TOKEN: unbound variable',
    'the password is wrong',
    'your token has expired, please log in again',
    'wrong user name or password',
    'password authentication failed for user "app"',
    'password: must be at least 8 characters',
    "Access denied for user 'app'@'localhost' (using password: YES)",
    'SyntaxError: Unexpected token } in JSON at position 4',
    'SyntaxError: Unexpected token \'a\', "abc" is not valid JSON',
    "parse error: Unexpected token: '}'",
    'max_tokens: 100, token_count=5',
    '{"max_tokens": 4096, "input_tokens": 12, "tokens": {"input": 1, "output": 2}}',
    'usage: output_tokens=812 total_tokens=1024',
    'tokenizer=cl100k vocabulary=100277',
    'PASS: tests/one.sh',
    '# pass 12\n# fail 0',
    'PWD=/srv/app OLDPWD=/tmp',
    'git clone git@github.com:a/b.git',
    'git clone ssh://git@github.com/a/b.git',
    'see https://example.com:8443/docs?page=2#top, or mail ops@example.com',
    'https://cdn.example.com/npm/@scope/pkg@1.2.3/index.js',
    'http://localhost:3000/@vite/client',
    'mkdir -p /srv/app && ssh -p 22 app@example.com',
    'docker run -u 1000:1000 --rm app',
    'git push -u origin feature:main',
    'docker login -u bob --password-stdin',
    'curl -H "Authorization: Bearer $TOKEN" https://api.example.com',
    'psql "password=${DB_PASSWORD} host=db"',
    'GH_TOKEN: ${{ secrets.GH_TOKEN }}',
    'const token = await fetchToken(user);',
    'password: z.string().min(8),',
    'interface Login { user: string; password: string; token: string | undefined }',
    'const password = process.env.DB_PASSWORD;',
    `if (text.includes('${HEAD}')) throw new Error();`,
    '-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIU\n-----END CERTIFICATE-----',
    'Bearer authentication is not supported, use Basic authentication',
    'class="sk-circle-fade-dot-animation"',
    'task-force-one-two-three-four-five-1',
    'author=bob secretary=ann passed=3 bypass=yes',
    'tool_use_id=toolu_01A7bC9dE1fG3hI5jK7lM9nO prompt_id=prompt-7',
    'npm_config_registry_with_a_rather_long_name_here=1',
    'primary key: id, foreign key: user_id',
    'Cookies are small texts; a cookie holds a name and a value',
    'a basic HTTP/1.1 client',
    "program.arguments('<username> <password>');",
    "token: env['MESH_TOKEN'] ?? none",
    'GOOGLE_APPLICATION_CREDENTIALS=/srv/keys/app.json',
    'password=',
    'password: ""',
    '{"password": null, "token": "", "secret": false}',
    'echo "password=" && echo "done"',
    `password=${REDACTED}`,
  ])('%s', (harmless) => {
    expect(text(harmless)).toBe(harmless);
  });

  test('in objects either, and then it is the same object', () => {
    const payload = {
      session_id: '5f0c7c1e',
      tool_use_id: 'toolu_01',
      prompt_id: 'p-1',
      author: 'bob',
      secretary: 'ann',
      passed: 'all',
      pass: 12,
      pwd: '/srv/app',
      max_tokens: 100,
      token_count: 5,
      input_tokens: '7',
      tokens: { input: 1, output: [2, 3] },
      tokenizer: 'cl100k',
      token_type: 'bearer',
      password: null,
      hasPassword: true,
      secret: '',
      password_file: '/run/secrets/db',
      auth: { user: 'bob', method: 'plain' },
      args: ['--password', '--force', 'x'],
      pairs: [{ name: 'MODE', value: 'ci' }],
      fields: [
        { field: 'user', value: 'bob' },
        { header: 'accept', value: '*/*' },
      ],
      rawHeaders: ['Accept', '*/*', 'Content-Type', 'text/plain'],
      allowedHeaders: ['Authorization', 'Content-Type', 'Cookie', 'Accept'],
      varyHeaders: ['Accept', 'Authorization', 'Cookie'],
      headers: [
        ['accept', '*/*'],
        ['max_tokens', 100],
      ],
      pair: ['user', 'bob'],
      prose: ['enter your password', 'login failed'],
      names: ['user', 'password', 'token', 'name'],
      options: ['--password', '--force'],
      search: ['grep', HEAD, 'src'],
      code: [`if (text.includes('${HEAD}')) {`, '  throw new Error();', '}'],
      certificate: ['-----BEGIN CERTIFICATE-----', 'A'.repeat(64), '-----END CERTIFICATE-----'],
      none: undefined,
    };

    expect(value(payload)).toBe(payload);
  });
});

describe('keys', () => {
  test.each([
    ...['password', 'passwd', 'pwd', 'passphrase', 'secret', 'client_secret', 'clientSecret', 'CLIENT-SECRET'],
    ...['api_key', 'apikey', 'apiKey', 'x-api-key', 'X-API-Key', 'access_key', 'secret_key', 'private_key'],
    ...['access_token', 'refreshToken', 'id_token', 'auth_token', 'bearer', 'session_token', 'token', 'jwt'],
    ...['authorization', 'Proxy-Authorization', 'cookie', 'Set-Cookie', 'credential', 'credentials'],
    ...['connection_string', 'connectionString', 'dsn', 'SENTRY_DSN', 'webhook_url', 'signing_key', 'encryptionKey'],
    ...['AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN', 'githubtoken', 'FOO_PASSWORD', 'DB_PASS', 'smtpPass', 'DB_PWD'],
    ...['passwords', 'tokens', 'secrets', 'apiKeys', 'pass', 'auth', 'service_role_key', 'AccountKey', 'secret_id'],
    ...['password_hash', 'client-key-data', 'master.key', 'API Key', 'db.password'],
    ...['API_KEY_PROD', 'password2', 'SECRET_KEY_BASE', 'token_v2', 'DB_PASSWORD_OLD'],
  ])('%s holds a secret, in an object as in a text', (key) => {
    expect(value({ [key]: 'hunter2' })).toEqual({ [key]: REDACTED });
    expect(text(`{"${key}": "hunter2"}`)).toBe(`{"${key}": "${REDACTED}"}`);
  });

  test.each([['text'], [7], [{ a: 1 }], [{}], [['a', 1]], [0]])('hide a value of any type: %j', (secret) => {
    expect(value({ a: { password: secret } })).toEqual({ a: { password: REDACTED } });
  });

  test.each([
    [{ tokens: 5 }, { tokens: 5 }],
    [{ tokens: ['a', 'b'] }, { tokens: REDACTED }],
    [{ pass: 3 }, { pass: 3 }],
    [{ pass: '3' }, { pass: REDACTED }],
    [{ max_tokens: { password: 5 } }, { max_tokens: { password: REDACTED } }],
    [{ credentials: '/srv/keys/app.json' }, { credentials: '/srv/keys/app.json' }],
    [{ credentials: { a: 1 } }, { credentials: REDACTED }],
    [{ auth: 'Ym9iOng=' }, { auth: REDACTED }],
    [{ auth: { password: 'x' } }, { auth: { password: REDACTED } }],
  ])('%j becomes %j', (given, expected) => {
    expect(value(given)).toEqual(expected);
  });

  test('of one’s own count too, compared without regard to case, - and _', () => {
    const own = createRedactor({ keys: ['customer-ssn'] });

    expect(own.value({ CustomerSSN: 7, customer_ssn: 'x', ssn: 'y' })).toEqual({
      CustomerSSN: REDACTED,
      customer_ssn: REDACTED,
      ssn: 'y',
    });
    expect(own.text('customer_ssn=078-05 ssn=1')).toBe(`customer_ssn=${REDACTED} ssn=1`);
  });

  test('that are secrets themselves are hidden, and nothing under them is lost', () => {
    const given = { [GITHUB]: 1, a: 2, [OTHER_GITHUB]: 3, [`of ${AWS_ID}`]: { [AWS_ID]: 4 } };

    expect(value(given)).toEqual({
      [REDACTED]: 1,
      a: 2,
      ['[redacted#2]']: 3,
      [`of ${REDACTED}`]: { [REDACTED]: 4 },
    });
  });

  test('that are already there are not written over', () => {
    expect(value({ [GITHUB]: 1, [REDACTED]: 2, ['[redacted#2]']: 3 })).toEqual({
      ['[redacted#3]']: 1,
      [REDACTED]: 2,
      ['[redacted#2]']: 3,
    });
  });

  test('named __proto__ stay keys', () => {
    const given: unknown = JSON.parse('{"__proto__": {"password": "x"}, "b": 1}');

    expect(JSON.stringify(value(given))).toBe(`{"__proto__":{"password":"${REDACTED}"},"b":1}`);
  });
});

describe('lists', () => {
  const LINE = 'MII' + 'F4ke'.repeat(15);

  test.each<[unknown, unknown]>([
    [
      ['token', 'x'],
      ['token', REDACTED],
    ],
    [
      ['cookie', ['a=b']],
      ['cookie', REDACTED],
    ],
    [
      ['password', null],
      ['password', null],
    ],
    [{ rawHeaders: ['A', 'b', 'Cookie', 'c=d'] }, { rawHeaders: ['A', 'b', 'Cookie', REDACTED] }],
    [{ 'raw-headers': ['Cookie', 'c', 'A', 'token'] }, { 'raw-headers': ['Cookie', REDACTED, 'A', 'token'] }],
    [{ lines: ['a', HEAD, LINE, FOOT, 'b'] }, { lines: ['a', REDACTED, REDACTED, REDACTED, 'b'] }],
    [{ lines: [`k: ${HEAD}\n${LINE}`, LINE, `${FOOT}"`, 'b'] }, { lines: [REDACTED, REDACTED, REDACTED, 'b'] }],
    [{ lines: [HEAD, 'x', FOOT + HEAD, 'x', FOOT] }, { lines: Array.from({ length: 5 }, () => REDACTED) }],
    [{ lines: ['a', HEAD, LINE, 7] }, { lines: ['a', REDACTED, REDACTED, REDACTED] }],
    [{ lines: [FOOT, HEAD, LINE] }, { lines: [FOOT, REDACTED, REDACTED] }],
    [{ lines: [`${HEAD}\n${LINE}\n${FOOT}`, 'b'] }, { lines: [REDACTED, 'b'] }],
  ])('%j becomes %j', (given, expected) => {
    expect(value(given)).toEqual(expected);
    expect(value(expected)).toEqual(expected);
  });

  test('with lines of a private key may hold what cannot be made a text', () => {
    expect(value([HEAD, { toString: 1 }, FOOT])).toEqual([REDACTED, REDACTED, REDACTED]);
  });

  test('of very many first lines of private keys are not slow', () => {
    const lines = [...Array.from({ length: 20_000 }, () => HEAD), FOOT, ...Array.from({ length: 20_000 }, () => HEAD)];

    expect(cpuMsOf(() => value(lines))).toBeLessThan(500);
  });
});

describe('keys that are longer than any name', () => {
  test('are hidden, and what stands under them stays', () => {
    const long = 'x'.repeat(8 * 1024);

    expect(value({ [long]: 1, [`${long}y`]: 2, [`${long}z`]: 3 })).toEqual({
      [long]: 1,
      [REDACTED]: 2,
      ['[redacted#2]']: 3,
    });
  });
});

describe('names and ids', () => {
  const { shapes } = createRedactor({ keys: ['customer-ssn'], patterns: [/EMP-\d+/] });

  test.each([
    [`run-${GITHUB}`, `run-${REDACTED}`],
    [AWS_ID, REDACTED],
    ['https://bob:hunter2@example.com', `https://${REDACTED}@example.com`],
  ])('lose what is a secret by its own look: %s', (given, expected) => {
    expect(shapes(given)).toBe(expected);
    expect(shapes(expected)).toBe(expected);
  });

  test.each(['token:1', 'password=hunter2', 'customer-ssn:7', 'EMP-12', 'Authorization: x'])('keep %s', (given) => {
    expect(shapes(given)).toBe(given);
  });
});

describe('texts', () => {
  test.each([
    ['curl -H "Authorization: Bearer abc" https://u:p@host', `curl -H "Authorization: Bearer *" https://*@host`],
    ['curl -u user:pass https://host', 'curl -u user:* https://host'],
    ['mysql --password=foo -e x', 'mysql --password=* -e x'],
    ['PGPASSWORD=foo psql', 'PGPASSWORD=* psql'],
    ['export API_KEY=abc; run', 'export API_KEY=*; run'],
    ['--password foo bar', '--password * bar'],
    ["--password 'foo bar' baz", "--password '*' baz"],
    ['password=hunter2, user=bob', 'password=*, user=bob'],
    ['(token=abc)', '(token=*)'],
    ['a?token=abc&b=1', 'a?token=*&b=1'],
    ['"password": "hun\\"ter2", "a": 1', '"password": "*", "a": 1'],
    ['{\\"password\\": \\"hun\\\\\\"ter2\\", \\"a\\": 1}', '{\\"password\\": \\"*\\", \\"a\\": 1}'],
    ['"password": 12345, "a": 1', '"password": *, "a": 1'],
    ['"credentials": {"a": ["b"]}, "c": 1', '"credentials": *, "c": 1'],
    ['A=1\\nDB_PASS=x\\nB=2', 'A=1\\nDB_PASS=*\\nB=2'],
    ["PASS='it'\"'\"'s' run", 'PASS=* run'],
    ['DB_PASS==x(y run', 'DB_PASS==* run'],
    ['password: {5D=~iS]Fx', 'password: *'],
    ['--token -f1hzPm run', '--token * run'],
    ['password="never closed', 'password="*'],
    ['password = hunter2', 'password = *'],
    ['  password: hunter2', '  password: *'],
    ['API key: abc', 'API key: *'],
    ["ALTER USER app PASSWORD 'x y'", "ALTER USER app PASSWORD '*'"],
    ["CREATE USER app IDENTIFIED BY 'x'", 'CREATE USER app IDENTIFIED BY *'],
    ['Authorization: Digest username="x", response="y"\nHost: z', 'Authorization: Digest *\nHost: z'],
    ['Cookie: a=b; c="d"\nHost: z', 'Cookie: *\nHost: z'],
    ['X-Api-Key: abc\r\nHost: z', 'X-Api-Key: *\r\nHost: z'],
    ['got Bearer abc.def-123 back', 'got Bearer * back'],
    ['Basic dXNlcjpwYXNz', 'Basic *'],
    ['https://ghp_x@host/a', 'https://*@host/a'],
    ['redis://:pass@host:6379/0', 'redis://*@host:6379/0'],
    ['https:\\/\\/u:p@host\\/a', 'https:\\/\\/*@host\\/a'],
    [`${GITHUB}, and more`, '*, and more'],
    [`x${GITHUB}`, 'x*'],
    [`\\n${GITHUB}\\n`, '\\n*\\n'],
    [`a ${HEAD}\nMII\n${FOOT} b`, 'a * b'],
    [`a ${HEAD}\\nMII\\n${FOOT} b`, 'a * b'],
    [`a ${HEAD}\nMII`, 'a *'],
    [`PRIVATE_KEY=${HEAD}\nMII\n${FOOT}\nA=1`, 'PRIVATE_KEY=*\nA=1'],
    [`PRIVATE_KEY="${HEAD}\nMII\n${FOOT}"\nA=1`, 'PRIVATE_KEY="*"\nA=1'],
    ['dsn=postgres://u:p&w@host/db', 'dsn=*'],
    ['  password: |\n    one\n    two\n  port: 1', '  password: *\n  port: 1'],
    [`a ${HEAD}`, `a ${HEAD}`],
    ['?sig=abc%3D&se=2', '?sig=*&se=2'],
    ['run ${DB_PASSWORD:-x} now', 'run ${DB_PASSWORD:*} now'],
    ['curl --user=user:pass https://host', 'curl --user=user:* https://host'],
    ['curl -u = "user:pass" https://host', 'curl -u = "user:*" https://host'],
    ['Basic dXNlcjpwYXNz...', 'Basic *'],
    ['token=$(get --password=abc)', 'token=$(get --password=*)'],
    [`token=$(${'x'.repeat(400)}`, 'token=*'],
    [`token=${'\\'.repeat(20)}"abc"`, `token=${'\\'.repeat(20)}"*`],
    ['{"header": "x-api-key", "value": "abc"}', '{"header": "x-api-key", "value": "*"}'],
    ['{"name": "password", "field": "a", "value": "abc"}', '{"name": "password", "field": "a", "value": "*"}'],
    ['name: DB_PASSWORD value: abc name: MODE value: ci', 'name: DB_PASSWORD value: * name: MODE value: ci'],
  ])('%j becomes %j', (given, expected) => {
    expect(text(given)).toBe(expected.replaceAll('*', REDACTED));
  });

  test('that match a pattern of one’s own are hidden wherever they stand', () => {
    const own = createRedactor({ patterns: [/EMP-\d+/, /internal (\w+)/iy, /x*/] });

    expect(own.text('of EMP-1 and EMP-22, see INTERNAL wiki')).toBe(`of ${REDACTED} and ${REDACTED}, see ${REDACTED}`);
    expect(own.value({ 'EMP-1': ['EMP-2'] })).toEqual({ [REDACTED]: [REDACTED] });
  });

  test('that match a pattern for everything end', () => {
    const own = createRedactor({ patterns: [/[a-z]/, /\d/], keys: ['redacted'] });

    expect(own.text(own.text('a1 b2 [redacted#2]'))).toBe(own.text('a1 b2 [redacted#2]'));
  });
});

/** Pieces of secrets, of their surroundings and of marks, so that random texts come close to what the patterns look for. */
const PIECES = [
  ...[
    'password',
    'token',
    '--api-key',
    'Cookie',
    'Authorization',
    'name',
    'value',
    'pass',
    'sig',
    'max_tokens',
    'set ',
  ],
  ...['=', ': ', ':', ' ', '\n', '\\n', '"', "'", '\\"', '`', '{', '}', '[', ']', ',', ';', '&', '?', '>', '<', '…'],
  ...[
    '://',
    '@',
    ':@',
    'https',
    'u:p',
    'Bearer ',
    'Basic ',
    'dXNlcjpwYXNz',
    'hunter2',
    '12',
    '$A',
    '${A}',
    '$(',
    '[redacted#2]',
    '#2',
  ],
  ...['header', 'field', 'A'.repeat(32), 'Proc-Type: 4', 'rawHeaders'],
  ...[GITHUB, AWS_ID, HEAD, FOOT, 'eyJhbGciOi.', 'eyJzdWIiOi', 'curl -u a:b', '-b "a=b"', 'login x password y'],
  ...[REDACTED, '[redac', 'ted]', 's' + 'k-', 'AK' + 'IA', 'F4KE', 'identified by ', 'hooks.slack.com/services/'],
];
const nastyText = fc
  .array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...PIECES) }, fc.string({ maxLength: 6 })), { maxLength: 14 })
  .map((pieces) => pieces.join(''));
const nastyValue = fc.letrec<{ any: unknown; leaf: unknown; list: unknown[]; object: object }>((tie) => ({
  any: fc.oneof({ maxDepth: 4, withCrossShrink: true }, tie('leaf'), tie('list'), tie('object')),
  leaf: fc.oneof(nastyText, fc.integer(), fc.boolean(), fc.constant(null)),
  list: fc.array(tie('any'), { maxLength: 4 }),
  object: fc.dictionary(nastyText, tie('any'), { maxKeys: 5 }),
})).any;

const OWN = createRedactor({ keys: ['value', 'redacted'], patterns: [/\d/, /[a-f]{3}/, /^./] });

describe('redacting twice is redacting once', () => {
  test.each([
    ['by what is built in', createRedactor()],
    ['with keys and patterns of one’s own', OWN],
  ])('%s', (_, redactor) => {
    fc.assert(
      fc.property(nastyValue, (given) => {
        const once = redactor.value(given);
        expect(redactor.value(once)).toEqual(once);
      }),
      { numRuns: 1_500 },
    );
  });

  test('in texts', () => {
    fc.assert(
      fc.property(nastyText, (given) => {
        const once = text(given);
        expect(text(once)).toBe(once);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('256 KiB that are made to be slow are not', () => {
  const repeated = (piece: string, before = '') => before + piece.repeat(Math.ceil((256 * 1024) / piece.length));

  const deeper = (piece: (slashes: string) => string) =>
    Array.from({ length: 480 }, (_, level) => piece('\\'.repeat(level))).join('');

  test.each([
    ['letters', repeated('a')],
    ['capitals', repeated('A')],
    ['digits', repeated('1')],
    ['spaces', repeated(' ')],
    ['lines', repeated('\n')],
    ['backslashes', repeated('\\')],
    ['a key and spaces', repeated(' ', 'password')],
    ['a key and backslashes', repeated('\\', 'password="')],
    ['a key and a long value', repeated('a', 'password=')],
    ['a key and brackets', repeated(']', 'password=')],
    ['keys', repeated('password=')],
    ['keys with quotes', repeated('password="')],
    ['keys with escaped quotes', repeated('password=\'\\"')],
    ['blocks of YAML', repeated('password: |\n  a\n')],
    ['a block of YAML', repeated(' ', 'password: |\n')],
    ['keys of JSON', repeated('"password":{"a":[')],
    ['keys and values', repeated('token=abc ')],
    ['names and values', repeated('name: password value: ')],
    ['options', repeated('--password ')],
    ['headers', repeated('Authorization: Bearer ')],
    ['cookies', repeated('Cookie: ')],
    ['cookies with values', repeated('Cookie: a=')],
    ['equals signs', repeated('=')],
    ['assignments', repeated('a=')],
    ['addresses', repeated('://')],
    ['addresses with users', repeated('://a:b')],
    ['addresses with passwords', repeated('://a:b@')],
    ['an address without end', repeated('a', 'https://')],
    ['at signs', repeated(':@')],
    ['starts of a JSON Web Token', repeated('eyJ.')],
    ['starts of a JSON Web Token, in one word', repeated('eyJ')],
    ['almost a JSON Web Token', repeated('eyJaaaaaaa.aaaa ')],
    ['starts of a private key', repeated('-----BEGIN')],
    ['a private key of many words', repeated('A ', '-----BEGIN ')],
    ['first lines of private keys', repeated(`${HEAD}'`)],
    ['private keys', repeated(`${HEAD} ${FOOT}`)],
    ['dashes', repeated('-')],
    ['bearers', repeated('Bearer ')],
    ['bearers with tokens', repeated('Bearer aaaaaaaaa1 ')],
    ['a bearer and spaces', repeated(' ', 'Bearer')],
    ['prefixes of GitHub', repeated('gh' + 'p_')],
    ['prefixes of OpenAI', repeated('s' + 'k-')],
    ['almost keys of OpenAI', repeated('a-', 's' + 'k-')],
    ['users of curl', repeated(' -u a:', 'curl')],
    ['cookies of curl', repeated(' -b "', 'curl')],
    ['a cookie of curl', repeated('=', 'curl -b "')],
    ['logins', repeated('login ')],
    ['a login without end', repeated('a', 'login ')],
    ['statements', repeated('identified by ')],
    ['passwords of ssh', repeated('sshpass -p ')],
    ['dots after a scheme', repeated('.', 'Basic ') + '1'],
    [
      'a scheme and colons in base64',
      `Basic ${Buffer.from(`${':'.repeat(189_998)}\x80`, 'latin1').toString('base64')}`,
    ],
    ['a user of curl and equals signs', repeated('=', 'curl -u')],
    ['a user of curl and spaces', repeated(' ', 'curl -u')],
    ['commands as values', repeated('token=$(')],
    ['commands in quotes as values', repeated('token="$(')],
    ['commands as cookies', repeated('cookie: $(x=')],
    ['expressions as values', repeated('pass:${{')],
    ['short references', repeated(`${'token=$('.repeat(37)} `)],
    ['quotes of ever deeper JSON', deeper((slashes) => `token=${slashes}"…token=${slashes}'…`)],
    ['commands in quotes of ever deeper JSON', deeper((slashes) => `token=${slashes}"$(`)],
    ['prose', repeated('the token and the password are in the key. ')],
  ])('%s', (_, slow) => {
    expect(cpuMsOf(() => text(slow))).toBeLessThan(200);
  });
});

/** The time of this process only: the machine may be busy with other tests. */
function cpuMsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
