import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { ROUTES } from '#client/gateway/routes/index.js';
import { randomBodies } from '../support/random-bodies.js';
import { startTestGateway } from '../support/test-gateway.js';

/** Ten thousand in `npm run test:soak`. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 3_000);
const SEED = 20_260_101;
/** What some thousand requests may leave behind in caches; three thousand that leaked two kilobytes each would be more. */
const MAX_GROWTH_BYTES = 6_000_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What each content type looks like when it is right. */
const LIKE: Record<string, object> = {
  '/v1/events': {
    event: 'TaskCompleted',
    outcome: 'failed',
    id: 'e-1',
    depth: 0,
    payload: { a: 1 },
    lineage: { root: 'r' },
  },
  '/v1/hooks/claude-code': {
    hook_event_name: 'PostToolUseFailure',
    session_id: 's-1',
    tool_use_id: 't-1',
    tool_input: { a: 1 },
  },
  '/v1/pause': { reason: 'deploy' },
};
const CLOUD_EVENT = {
  specversion: '1.0',
  id: '1',
  source: '/s',
  type: 'X',
  time: '2026-01-01T00:00:00Z',
  data: { a: 1 },
};

/** Nothing is counted as too much here, and nothing is remembered about it. */
function start() {
  const silent = () => undefined;
  return startTestGateway({
    policy: { eventsPerSecond: 1e9 },
    limits: { requestsPerSecond: 1e9 },
    log: { info: silent, warn: silent, error: silent },
  });
}

test.each(ROUTES.filter(({ bodies }) => bodies !== undefined))(
  '$method $path takes random bodies without an error of its own',
  { timeout: 120_000 },
  async ({ path, method, bodies = {} }) => {
    const { app, mesh } = await start();
    const { body, piece, pick } = randomBodies(SEED);
    const types = Object.keys(bodies);
    const statuses = new Map<number, number>();
    let heapBefore = 0;
    for (let run = 0; run < RUNS; run++) {
      if (run % 100 === 0) await nextTurn();
      if (run === RUNS / 5) heapBefore = heapAfterCollecting();
      const type = pick(types);
      const like = type.includes('cloudevents') ? CLOUD_EVENT : (LIKE[path] ?? {});
      const sent = body(like);
      const answer = await app.inject({
        method,
        url: path.replace(/:\w+/g, () => (run % 7 === 0 ? encodeURIComponent(piece()) : 'some')),
        headers: { 'content-type': type, ...binaryHeaders(path, run, piece) },
        payload: sent,
      });

      statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
      const stored = mesh.stored.splice(0);
      mesh.calls.splice(0);
      const problem = `run ${run}: ${String(sent)}: ${answer.body}`;
      if (answer.statusCode >= 500) expect.fail(problem);
      if (answer.statusCode >= 300 && stored.length > 0) expect.fail(`stored from a refused body, ${problem}`);
      if (answer.statusCode === 202 && path === '/v1/events') {
        expect(stored.map(({ id }) => ({ id }))).toEqual(answer.json().events);
      }
      if (!stored.every(({ tenant }) => tenant === 'default')) expect.fail(`another tenant, ${problem}`);
    }

    expect(heapAfterCollecting() - heapBefore).toBeLessThan(MAX_GROWTH_BYTES);
    // Bodies that are all refused would show little.
    expect([...statuses.keys()].some((status) => status < 300 || status === 404)).toBe(true);
    expect(statuses.get(400)).toBeGreaterThan(100);
  },
);

test.each(ROUTES.filter(({ bodies, params, query }) => bodies === undefined && (params ?? query) !== undefined))(
  '$method $path takes random addresses without an error of its own',
  { timeout: 120_000 },
  async ({ path, method }) => {
    const { app } = await start();
    const { piece, pick } = randomBodies(SEED);
    const names = ['rule', 'outcome', 'session', 'limit', 'page', '__proto__', 'a', ''];
    let heapBefore = 0;
    for (let run = 0; run < RUNS; run++) {
      if (run % 100 === 0) await nextTurn();
      if (run === RUNS / 5) heapBefore = heapAfterCollecting();
      const query = run % 2 === 0 ? '' : `?${pick(names)}=${piece()}&${pick(names)}=${piece()}`;
      const url = path.replace(/:\w+/g, piece).replaceAll(/[ #ü]/g, 'u') + query.replaceAll(/[ #ü]/g, 'u');

      const answer = await app.inject({ method, url });

      if (answer.statusCode >= 500) expect.fail(`run ${run}: ${url}: ${answer.body}`);
    }
    expect(heapAfterCollecting() - heapBefore).toBeLessThan(MAX_GROWTH_BYTES);
  },
);

/** Now and then the binary form of CloudEvents, with headers that may be anything. */
function binaryHeaders(path: string, run: number, piece: () => string): Record<string, string> {
  if (path !== '/v1/events' || run % 5 !== 0) return {};
  const header = () => piece().replaceAll('ü', 'u');
  const right = { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': 's', 'ce-type': 'X' };
  return run % 10 === 0 ? { ...right, 'ce-depth': header() } : { 'ce-id': header(), 'idempotency-key': header() };
}

/** Weak references count as strong ones until the turn of the event loop is over, so turns are taken now and then. */
function heapAfterCollecting(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
