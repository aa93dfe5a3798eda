import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { type HttpTarget, startHttpTarget, type TargetRequest } from './http-target.js';

export interface BridgeRequest {
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** `hang` never answers, `silent` does what it is asked and never answers, `reset` ends the connection without an answer. */
export type BridgeAnswer =
  { status: number; headers?: Record<string, string>; body?: unknown } | 'hang' | 'silent' | 'reset';

export interface BridgeServer {
  url: string;
  /** The parts of mesh.yaml that lead here. */
  config: { bridge: { url: string }; outbound: { privateHosts: string[] } };
  /** Those that asked for capacity. */
  requests: BridgeRequest[];
  /** Those that gave it back. */
  releases: BridgeRequest[];
  /** How many are ready now. */
  ready(): number;
  /** All that came, in order, such as `GET /v1/status`. */
  calls: string[];
  /** What to answer next to who asks for capacity; when used up, there is capacity. */
  script: BridgeAnswer[];
  /** What to answer next to another call. */
  next(call: string, ...answers: BridgeAnswer[]): void;
  close(): Promise<void>;
}

const CAPACITY = 'POST /v1/capacity';
const RELEASE = 'POST /v1/release';

/** A real HTTP server in the place of a capacity bridge, with one environment that is ready as soon as it is asked for. */
export async function startBridgeServer(): Promise<BridgeServer> {
  const target = await startHttpTarget();
  const requests: BridgeRequest[] = [];
  const releases: BridgeRequest[] = [];
  const calls: string[] = [];
  const scripts = new Map<string, BridgeAnswer[]>([[CAPACITY, []]]);
  const scriptOf = (call: string) => scripts.get(call) ?? scripts.set(call, []).get(call) ?? [];
  const healthy = healthyBridge();
  target.answer((response, request) => {
    const call = `${request.method} ${request.path}`;
    const body: unknown = request.body === '' ? undefined : JSON.parse(request.body);
    calls.push(call);
    if (call === CAPACITY) requests.push({ headers: request.headers, body });
    if (call === RELEASE) releases.push({ headers: request.headers, body });
    const scripted = scriptOf(call).shift();
    if (scripted === 'silent') healthy.answer(request, body);
    reply(response, scripted ?? healthy.answer(request, body));
  });
  return {
    url: target.url,
    config: configFor(target),
    requests,
    releases,
    ready: healthy.ready,
    calls,
    script: scriptOf(CAPACITY),
    next: (call, ...next) => void scriptOf(call).push(...next),
    close: target.close,
  };
}

function configFor({ url }: HttpTarget): BridgeServer['config'] {
  return { bridge: { url }, outbound: { privateHosts: ['127.0.0.1'] } };
}

function healthyBridge(): { ready(): number; answer(request: TargetRequest, body: unknown): BridgeAnswer } {
  let ready = 0;
  const answer = ({ method, path }: TargetRequest, body: unknown): BridgeAnswer => {
    const environment = { id: 'env-1', ready };
    switch (`${method} ${path}`) {
      case 'GET /v1/status':
        return { status: 200, body: { active: true } };
      case 'GET /v1/environments':
        return { status: 200, body: { environments: [environment] } };
      case 'POST /v1/environments':
      case 'GET /v1/environments/env-1':
        return { status: 200, body: environment };
      case CAPACITY:
        ready = Math.max(ready, (body as { ensure: number }).ensure);
        return { status: 200, body: { environment: 'env-1' } };
      case RELEASE:
        ready = 0;
        return { status: 200, body: { released: 1 } };
      default:
        return { status: 404, body: { message: `there is no ${method} ${path}` } };
    }
  };
  return { ready: () => ready, answer };
}

function reply(response: ServerResponse, answer: BridgeAnswer): void {
  if (answer === 'hang' || answer === 'silent') return;
  if (answer === 'reset') return void response.socket?.destroy();
  const { status, headers = {}, body = {} } = answer;
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
