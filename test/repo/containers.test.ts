import { describe, expect, it } from 'vitest';
import { createProgram } from '#client/cli/main.js';
import { readConnection } from '#client/connection.js';
import { type Environment, readSettings, SETTINGS } from '#contract/settings.js';
import { durationMs, readCompose, serviceOf } from '../support/compose.js';
import { copiesOf, environmentOf, parseDockerfile, textsOf } from '../support/dockerfile.js';
import { repositoryFiles } from './files.js';
import { readText } from './markdown.js';

const FILES = repositoryFiles();
const { version: VERSION } = JSON.parse(readText('package.json')) as { version: string };
const CONTAINER = parseDockerfile(readText('Dockerfile')).at(-1) ?? { image: '', name: undefined, steps: [] };

const COMPOSE = readCompose();
const SERVICES = Object.entries(COMPOSE.services);
const OURS = SERVICES.filter(([, { build }]) => build !== undefined);
const LASTING = SERVICES.filter(([, { restart }]) => restart !== undefined);
const ONCE = SERVICES.filter(([, { restart }]) => restart === undefined);

/** PostgreSQL's versions have two numbers. */
const EXACT_VERSION = /^postgres:\d+\.\d+-\w+$|:v?\d+\.\d+\.\d+$/;

describe('docker-compose.yml', () => {
  it('has the services', () => {
    expect(LASTING.map(([name]) => name)).toEqual(['postgres', 'temporal', 'temporal-ui', 'worker', 'gateway', 'mail']);
    expect(ONCE.map(([name]) => name)).toEqual(['temporal-schema', 'temporal-namespace', 'mesh-setup']);
    expect(OURS.map(([name]) => name)).toEqual(['mesh-setup', 'worker', 'gateway']);
  });

  it.each(SERVICES)('%s has an image of one exact version', (_name, { image, build }) => {
    expect(image).toMatch(EXACT_VERSION);
    if (build !== undefined) expect(image).toBe(`${COMPOSE.name}:${VERSION}`);
  });

  it.each(LASTING)('%s has a health check, is started again and stops in peace', (_name, service) => {
    const { test: command = [], interval, timeout, retries, start_period } = service.healthcheck ?? {};

    expect(command[0]).toBe('CMD');
    expect(command.length).toBeGreaterThan(1);
    expect(durationMs(timeout)).toBeLessThan(durationMs(interval));
    expect(durationMs(start_period)).toBeGreaterThan(0);
    expect(retries).toBeGreaterThan(0);
    expect(service.restart).toBe('unless-stopped');
  });

  it.each(SERVICES)('%s is started and asked in plain words', (_name, { command = [], healthcheck }) => {
    // A colon or a brace in what was meant as text makes a map of it.
    for (const word of [...command, ...(healthcheck?.test ?? [])]) expect(word).toBeTypeOf('string');
  });

  it('what lasts is waited for until it is healthy, what runs once until it is done', () => {
    const waits = SERVICES.flatMap(([name, { depends_on = {} }]) =>
      Object.entries(depends_on).map(([on, { condition }]) => ({ name, on, condition })),
    );

    for (const { on, condition } of waits) {
      const isOnce = ONCE.some(([name]) => name === on);
      expect(condition, on).toBe(isOnce ? 'service_completed_successfully' : 'service_healthy');
    }
    expect(ONCE.map(([name]) => name).filter((name) => !waits.some(({ on }) => on === name))).toEqual([]);
  });

  it('the server is set up before a worker or the gateway starts', () => {
    const chain = ['mesh-setup', 'postgres', 'temporal', 'temporal-namespace', 'temporal-schema'];

    expect(allBefore('gateway')).toEqual(chain);
    expect(allBefore('worker')).toEqual([...chain, 'mail'].sort());
  });

  it('every port is open to this machine only, and is the one of npm start', () => {
    const ports = Object.fromEntries(
      SERVICES.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port.split(':')])),
    );

    expect(ports).toEqual({
      temporal: ['127.0.0.1', SETTINGS.MESH_TEMPORAL_PORT.default, '7233'],
      'temporal-ui': ['127.0.0.1', SETTINGS.MESH_UI_PORT.default, '8080'],
      gateway: ['127.0.0.1', SETTINGS.MESH_GATEWAY_PORT.default, SETTINGS.MESH_GATEWAY_PORT.default],
      mail: ['127.0.0.1', '8025', '8025'],
    });
    expect(textsOf(CONTAINER, 'EXPOSE')).toEqual([SETTINGS.MESH_GATEWAY_PORT.default]);
  });

  it.each(OURS)('%s sets only variables that the code reads', (_name, { environment = {} }) => {
    const env = { ...environmentOf(CONTAINER), ...environment };
    const unread = Object.keys(environment).filter(
      (name) => outcomeOf({ ...env, [name]: 'probe' }) === outcomeOf({ ...env, [name]: undefined }),
    );

    expect(Object.keys(environment).length).toBeGreaterThan(0);
    // Others are read where the configuration names them.
    const named = readText('config/mesh.yaml');
    expect(unread.filter((name) => !named.includes(`\${env:${name}}`))).toEqual([]);
    const { problems, warnings } = readSettings(env);
    expect([...problems, ...warnings]).toEqual([]);
  });

  it.each(OURS)('%s reaches the Temporal server of this file', (_name, { environment = {} }) => {
    const { settings } = readSettings(environment);
    const { address, namespace, isGiven } = readConnection(settings, environment);

    expect({ address, namespace, isGiven }).toEqual({
      address: 'temporal:7233',
      namespace: 'default',
      isGiven: true,
    });
    expect(serviceOf(COMPOSE, 'temporal').image).toMatch(/^temporalio\/server:/);
  });

  it('the namespace that is created is the one that is used', () => {
    const { environment, command = [] } = serviceOf(COMPOSE, 'temporal-namespace');

    expect(environment).toEqual({ TEMPORAL_ADDRESS: 'temporal:7233', TEMPORAL_NAMESPACE: 'default' });
    expect(command.at(-1)).toContain('temporal operator namespace create');
  });

  it('the tools are those of the server, and both reach the database', () => {
    const [server, schema] = [serviceOf(COMPOSE, 'temporal'), serviceOf(COMPOSE, 'temporal-schema')];
    const database = serviceOf(COMPOSE, 'postgres').environment ?? {};

    expect(schema.image.split(':')[1]).toBe(server.image.split(':')[1]);
    expect(serviceOf(COMPOSE, 'temporal-namespace').image).toBe(schema.image);
    expect(server.environment).toMatchObject({
      DB: 'postgres12',
      POSTGRES_SEEDS: 'postgres',
      POSTGRES_USER: database['POSTGRES_USER'],
      POSTGRES_PWD: database['POSTGRES_PASSWORD'],
    });
    expect(schema.environment).toMatchObject({
      SQL_PLUGIN: 'postgres12',
      SQL_HOST: 'postgres',
      SQL_USER: database['POSTGRES_USER'],
      SQL_PASSWORD: database['POSTGRES_PASSWORD'],
    });
  });

  it('mails go to the mail catcher', () => {
    const { protocol, hostname, port } = new URL(serviceOf(COMPOSE, 'worker').environment?.['MESH_SMTP_URL'] ?? '');

    expect({ protocol, hostname, port }).toEqual({ protocol: 'smtp:', hostname: 'mail', port: '1025' });
    expect(serviceOf(COMPOSE, 'mail').image).toMatch(/^axllent\/mailpit:/);
  });

  it('one container is the gateway and the others are not', () => {
    const settingsOf = (name: string) => readSettings(serviceOf(COMPOSE, name).environment ?? {}).settings;

    expect(settingsOf('worker').gatewayPort).toBeUndefined();
    expect(settingsOf('gateway')).toMatchObject({ gatewayHost: '0.0.0.0', gatewayPort: 7280 });
  });

  it.each<[string, string[]]>([
    ...OURS.map(([name, { command = [] }]): [string, string[]] => [name, command]),
    ['the container by itself', JSON.parse(textsOf(CONTAINER, 'CMD')[0] ?? '')],
  ])('%s starts a command that exists', (_name, command) => {
    expect(command[0]).toBe('node');
    expectCommand(command.slice(1));
  });

  it('says commands in its comments that exist', () => {
    const said = [...readText('docker-compose.yml').matchAll(/# .*\bnode (worker\/mesh\.mjs .+)$/gm)];

    expect(said).toHaveLength(1);
    for (const [, command = ''] of said) expectCommand(command.split(' '));
  });

  it('the health checks of our containers run what is in them, and ask what is there', () => {
    const program = serviceOf(COMPOSE, 'worker').healthcheck?.test.at(-1) ?? '';
    const script = serviceOf(COMPOSE, 'gateway').healthcheck?.test.at(-1) ?? '';

    expect(FILES).toContain(program.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
    expect(script).toContain(`http://127.0.0.1:${SETTINGS.MESH_GATEWAY_PORT.default}/healthz`);
    const gateway = FILES.filter((path) => path.startsWith('client/gateway/')).map(readText);
    expect(gateway.filter((text) => text.includes("'/healthz'")).length).toBeGreaterThan(0);
  });

  it('a container gets the time that its program takes to stop', () => {
    const graceMs = (name: string) => durationMs(serviceOf(COMPOSE, name).stop_grace_period);
    const [, forceSeconds] = /shutdownForceTime: '(\d+) seconds'/.exec(readText('worker/create-worker.ts')) ?? [];

    expect(graceMs('worker')).toBeGreaterThanOrEqual(Number(forceSeconds) * 1_000 + 5_000);
    expect(graceMs('gateway')).toBeGreaterThanOrEqual(10_000);
  });

  it.each(SERVICES)('%s has no rights to spare', (_name, service) => {
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.cap_add).toBeUndefined();
    expect(service.security_opt).toEqual(['no-new-privileges:true']);
    expect(service).not.toHaveProperty('privileged');
    expect(service).not.toHaveProperty('network_mode');
    expect((service.volumes ?? []).filter((volume) => volume.includes('docker.sock'))).toEqual([]);
  });

  it.each(OURS)('%s writes to its state folder and nowhere else', (_name, { read_only, volumes, tmpfs, init }) => {
    const state = environmentOf(CONTAINER)['MESH_HOME'];
    const [workdir] = textsOf(CONTAINER, 'WORKDIR');

    expect(volumes).toEqual([`./config:${workdir}/config:ro`, `mesh:${state}`]);
    expect({ read_only, tmpfs, init }).toEqual({ read_only: true, tmpfs: ['/tmp'], init: true });
  });

  it('keeps what must last in volumes that are declared', () => {
    const named = SERVICES.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0] ?? ''));

    expect(Object.keys(COMPOSE.volumes).sort()).toEqual(
      [...new Set(named.filter((name) => !name.startsWith('.')))].sort(),
    );
    expect(serviceOf(COMPOSE, 'postgres').volumes).toEqual(['postgres:/var/lib/postgresql/data']);
  });

  it('takes every password from the environment', () => {
    const secrets = SERVICES.flatMap(([, { environment = {} }]) =>
      Object.entries(environment).filter(([name]) => isSecretName(name)),
    );

    expect(secrets.length).toBeGreaterThan(2);
    for (const [, value] of secrets) expect(value).toMatch(/^\$\{[A-Z_]+:-\w+\}$/);
  });
});

/** Everything that has happened or is healthy when a service starts. */
function allBefore(name: string): string[] {
  const direct = Object.keys(serviceOf(COMPOSE, name).depends_on ?? {});
  return [...new Set(direct.flatMap((one) => [one, ...allBefore(one)]))].sort();
}

/** What the program makes of an environment. */
function outcomeOf(env: Environment): string {
  const read = readSettings(env);
  return JSON.stringify([read, readConnection(read.settings, env)]);
}

const PROGRAM = await createProgram();

function expectCommand([script = '', ...args]: string[]): void {
  expect(copiesOf(CONTAINER).flatMap(({ sources }) => sources)).toContain(script);
  if (script === 'worker/bootstrap.mjs') return expect(args).toEqual(['start']);
  const [name = '', ...rest] = args;
  const found = PROGRAM.commands.find((command) => command.name() === name);
  expect(found, `mesh ${name}`).toBeDefined();
  rest.forEach((word, index) => expect(found?.registeredArguments[index]?.argChoices ?? [], name).toContain(word));
}

function isSecretName(name: string): boolean {
  return /PASSWORD|PWD|SECRET|TOKEN|API_KEY/.test(name);
}
