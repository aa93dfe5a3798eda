import { describe, expect, it } from 'vitest';
import { BURST_SECONDS } from '#client/gateway/rate-limits.js';
import { GATEWAY_LIMITS } from '#client/gateway/gateway-deps.js';
import { createGatewayMetrics } from '#client/gateway/gateway-metrics.js';
import { PROBLEM_CODES, type ProblemCode } from '#client/gateway/problem-codes.js';
import { CLOUD_EVENT, CLOUD_EVENTS } from '#client/gateway/read-events.js';
import { ROUTES } from '#client/gateway/routes/index.js';
import { Readiness } from '#client/gateway/schemas/index.js';
import { parseMeshConfig } from '#config/mesh-config.js';
import { ROLE_MEANINGS } from '#contract/roles.js';
import { codeBlocksOf, codesBelow, codesIn, readText, tableBelow } from './markdown.js';

const PAGE = 'docs/gateway.md';
const text = readText(PAGE).replace(/\s+/g, ' ');

describe('docs/gateway.md lists', () => {
  it('the routes, with the role each needs and what it does', () => {
    const rows = tableBelow(PAGE, 'Routes').map((row) => [
      codesIn(row['method'])[0],
      codesIn(row['path'])[0]?.replace(/\{(\w+)\}/g, ':$1'),
      row['role']?.replaceAll('`', ''),
      row['what'],
    ]);

    expect(rows).toEqual(ROUTES.map(({ method, path, role, summary }) => [method, path, role, summary]));
  });

  it('the codes of errors, with status and meaning', () => {
    const rows = tableBelow(PAGE, 'Errors').map((row) => [
      codesIn(row['code'])[0],
      { status: Number(row['status']), meaning: row['meaning'] },
    ]);

    expect(Object.fromEntries(rows)).toEqual(PROBLEM_CODES);
    expect(rows.map(([code]) => code)).toEqual(Object.keys(PROBLEM_CODES));
  });

  it('the roles', () => {
    const rows = tableBelow(PAGE, 'Tokens').map((row) => [codesIn(row['role'])[0], row['may']]);

    expect(Object.fromEntries(rows)).toEqual(ROLE_MEANINGS);
  });

  it('the metrics, with their help', async () => {
    const { render } = createGatewayMetrics({
      waiting: () => ({ events: 0, bytes: 0 }),
      spooled: () => Promise.resolve(0),
      connections: () => 0,
      startedAt: 0,
    });
    const helps = [...(await render('default')).matchAll(/^# HELP (\S+) (.+)$/gm)].map(([, name, help]) => [
      name,
      help,
    ]);

    expect(tableBelow(PAGE, 'Metrics').map((row) => [codesIn(row['name'])[0], row['what']])).toEqual(helps);
  });

  it('the checks of /readyz', () => {
    expect(codesBelow(PAGE, 'Health', 'check')).toEqual(Readiness.shape.checks.element.shape.name.options);
  });

  it('the content types of CloudEvents', () => {
    expect(codesBelow(PAGE, 'CloudEvents', 'content type')).toEqual([CLOUD_EVENT, CLOUD_EVENTS, 'application/json']);
  });

  it('the headers that routes read', () => {
    for (const name of ROUTES.flatMap(({ headers = {} }) => Object.keys(headers)))
      expect(text).toContain(`\`${name}\``);
  });
});

describe('docs/gateway.md says', () => {
  const limits = new Map(tableBelow(PAGE, 'Limits').map((row) => [row['what'], row]));
  const limitOf = (what: string) => limits.get(what)?.['limit'];

  it('the limits as they are', () => {
    const { bodyBytes, headerBytes, eventsPerRequest, connections, requestsPerSecond } = GATEWAY_LIMITS;
    const { requestWithinMs, headersWithinMs, storeWithinMs } = GATEWAY_LIMITS;
    const config = parseMeshConfig('{}', 'f');
    const eventsPerSecond = config.ok ? config.value.gateway.eventsPerSecond : 0;

    expect(limitOf('body')).toBe(`${bodyBytes / 1024 / 1024} MiB`);
    expect(limitOf('events in one request')).toBe(eventsPerRequest.toLocaleString('en-US'));
    expect(limitOf('headers')).toBe(`${headerBytes / 1024} KiB`);
    expect(limitOf('connections')).toBe(connections.toLocaleString('en-US'));
    expect(BURST_SECONDS).toBe(2);
    expect(limitOf('events of a tenant')).toContain(`${eventsPerSecond.toLocaleString('en-US')}/s, twice that`);
    expect(limitOf('other requests of a tenant')).toContain(`${requestsPerSecond}/s, twice that`);
    expect(limitOf('time for a request to arrive')).toBe(
      `${requestWithinMs / 1000} s, its headers ${headersWithinMs / 1000} s`,
    );
    expect(limitOf('time for Temporal to store events')).toBe(`${storeWithinMs / 1000} s`);
  });

  it('codes that exist', () => {
    const named = [...limits.values()]
      .flatMap((row) => codesIn(row['beyond it']))
      .filter((code) => !code.includes('.'));

    expect(named.filter((code) => !Object.hasOwn(PROBLEM_CODES, code as ProblemCode))).toEqual([]);
  });

  it('a configuration that is valid once a hash stands in it', () => {
    const [example = ''] = codeBlocksOf(readText(PAGE)).filter((block) => block.startsWith('gateway:'));

    expect(parseMeshConfig(example.replace('<its hash>', 'a'.repeat(64)), 'f')).toMatchObject({ ok: true });
  });
});
