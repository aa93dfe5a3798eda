// A capacity bridge to try the mesh with, and to start your own from: in memory, nothing to install.
// What it answers is described in capacity-bridge.openapi.yaml. Run it with
//
//   node config/examples/capacity-bridge.mjs --port 7290
//
//   --warm-ms 5000   capacity takes this long until it is ready
//   --empty          there is no environment until one is made
//   CAPACITY_TOKEN   when set, every request must bring it as a bearer token
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    port: { type: 'string', default: '7290' },
    'warm-ms': { type: 'string', default: '0' },
    empty: { type: 'boolean', default: false },
  },
});
const warmMs = Number(options['warm-ms']);
const token = process.env.CAPACITY_TOKEN;

const routes = {
  'GET /v1/status': () => ok({ active: true, policy: { allowRemoteSessions: true }, preconditions: [] }),
  'GET /v1/environments': () => ok({ environments: [...environments.values()].map(show) }),
  'POST /v1/environments': once(createDefault),
  'GET /v1/environments/{id}': ({ id }) => (environments.has(id) ? ok(show(environments.get(id))) : notFound(id)),
  'POST /v1/capacity': takeCapacity,
  'POST /v1/release': once(release),
};

/** An environment has what was asked for, each request under its key until its own time; the largest of them counts. */
const environments = new Map();
/** What was answered to an idempotency key. A real bridge keeps this for at least a day, and where a restart finds it. */
const answers = new Map();

if (!options.empty) addEnvironment('env-1');

function createDefault({ body }) {
  if (body?.default !== true) return refuse(400, 'expected {"default": true}');
  const [first] = environments.values();
  return first ? ok(show(first)) : ok(show(addEnvironment('env-1')), 201);
}

function takeCapacity({ body, key }) {
  const { environment: id, ensure, until } = body ?? {};
  const untilAt = Date.parse(until);
  if (key === undefined) return refuse(400, 'expected the header Idempotency-Key');
  if (!Number.isInteger(ensure) || ensure < 1) return refuse(400, 'expected ensure to be a number from 1');
  if (Number.isNaN(untilAt)) return refuse(400, EXPECTED_TIME);

  // Whatever environment the key went to the first time: asking again never takes a second one.
  const known = [...environments.values()].find(({ requests }) => requests.has(key)) ?? environments.get(id);
  const before = known?.requests.get(key);
  if (!before && untilAt <= Date.now()) return refuse(400, 'until is over already: do the clocks agree?');
  if (!known) return notFound(id);
  const isLonger = !before || untilAt > before.untilAt;
  const request = isLonger ? { ensure: before?.ensure ?? ensure, untilAt, isOver: false } : before;
  known.requests.set(key, request);
  settle(known);
  return ok({ environment: known.id, ensure: request.ensure, until: new Date(request.untilAt).toISOString() });
}

const EXPECTED_TIME = 'expected until to be a time such as 2030-01-31T12:00:00Z';

/** Whoever asked for longer keeps it. */
function release({ body }) {
  const { environment: id, until } = body ?? {};
  const untilAt = Date.parse(until);
  if (Number.isNaN(untilAt)) return refuse(400, EXPECTED_TIME);
  const environment = environments.get(id);
  if (!environment) return notFound(id);
  const due = [...environment.requests.values()].filter((request) => !request.isOver && request.untilAt <= untilAt);
  for (const request of due) request.isOver = true;
  settle(environment);
  return ok({ environment: id, released: due.length });
}

function addEnvironment(id) {
  const environment = { id, requests: new Map(), ready: 0, warming: undefined };
  environments.set(id, environment);
  return environment;
}

/** Brings an environment up to date: what is over goes at once, what was asked for comes after a while. */
function settle(environment) {
  const now = Date.now();
  const live = [...environment.requests.values()].filter(({ untilAt, isOver }) => !isOver && untilAt > now);
  const wanted = Math.max(0, ...live.map(({ ensure }) => ensure));
  if (wanted <= environment.ready) {
    environment.ready = wanted;
    environment.warming = undefined;
  } else if (environment.warming?.wanted !== wanted) {
    environment.warming = { wanted, readyAt: now + warmMs };
  }
  if (environment.warming !== undefined && environment.warming.readyAt <= now) {
    environment.ready = wanted;
    environment.warming = undefined;
  }
  return { wanted, untilAt: Math.max(0, ...live.map(({ untilAt }) => untilAt)) };
}

function show(environment) {
  const { wanted, untilAt } = settle(environment);
  const until = wanted > 0 ? { until: new Date(untilAt).toISOString() } : {};
  return { id: environment.id, default: true, eligible: true, wanted, ready: environment.ready, ...until };
}

/** The same key again: the same answer, and nothing is done twice. */
function once(handle) {
  return (request) => {
    if (request.key === undefined) return refuse(400, 'expected the header Idempotency-Key');
    const known = answers.get(request.key);
    if (known) return known;
    const answer = handle(request);
    if (answer.status < 300) answers.set(request.key, answer);
    return answer;
  };
}

function ok(body, status = 200) {
  return { status, body };
}

function refuse(status, message) {
  return { status, body: { message } };
}

function notFound(id) {
  return refuse(404, `there is no environment ${String(id).slice(0, 100)}`);
}

function answer({ method, path, headers, written }) {
  if (token !== undefined && headers.authorization !== `Bearer ${token}`) return refuse(401, 'expected a bearer token');
  const id = /^\/v1\/environments\/([^/]+)$/.exec(path)?.[1];
  const handle = routes[`${method} ${id === undefined ? path : '/v1/environments/{id}'}`];
  if (!handle) return refuse(404, `there is no ${method} ${path.slice(0, 100)}`);
  try {
    const body = method === 'POST' ? JSON.parse(written) : undefined;
    return handle({ id: id && decodeURIComponent(id), body, key: headers['idempotency-key'] });
  } catch (error) {
    return refuse(400, `not understood: ${error.message}`);
  }
}

const server = createServer(async (request, response) => {
  const { method, headers } = request;
  const path = request.url.split('?')[0];
  try {
    const { status, body } = answer({ method, path, headers, written: await text(request) });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (method === 'POST') console.log(`${new Date().toISOString()} ${status} ${path} ${JSON.stringify(body)}`);
  } catch {
    // Whoever asked has gone.
    request.destroy();
  }
});
server.listen(Number(options.port), '127.0.0.1', () => {
  console.log(`Capacity bridge at http://127.0.0.1:${server.address().port}`);
});
