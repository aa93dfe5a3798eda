import type { ServerResponse } from 'node:http';
import { startHttpTarget, type TargetRequest } from './http-target.js';

export const KUBERNETES_TOKEN = 'sa-7d1f3c9e2b';
const OBJECT = '/apis/apps/v1/namespaces/agents/deployments/runner';

/** `lost` is done, but its answer never arrives. */
export type KubernetesFault = { status: number; headers?: Record<string, string>; message?: string } | 'lost' | 'hang';

export interface KubernetesServer {
  /** Of the Deployment `runner` in the namespace `agents`. */
  url: string;
  /** Such as `PATCH /scale 3`. */
  calls: string[];
  replicas(): number;
  /** As a person or an autoscaler would. */
  setReplicas(replicas: number): void;
  /** From now on this many become ready at most. */
  limitReady(ready: number): void;
  /** As a controller that is behind: for the next looks at the object its status is still that of an earlier spec. */
  staleStatus(looks: number, readyReplicas: number): void;
  exists(does: boolean): void;
  /** What befalls the next calls of this kind, such as `PATCH /scale`. */
  next(call: string, ...faults: KubernetesFault[]): void;
  /** Done right before the next PATCH is looked at, which waits for it; or right after it is done. */
  beforePatch(act: () => unknown): void;
  afterPatch(act: () => void): void;
  close(): Promise<void>;
}

/** The part of a Kubernetes API that scales one Deployment, over TLS, as strict as a real one about what it is sent. */
export async function startKubernetesServer(path = OBJECT): Promise<KubernetesServer> {
  const target = await startHttpTarget({ certificate: 'localhost' });
  const calls: string[] = [];
  const faults = new Map<string, KubernetesFault[]>();
  const deployment = { replicas: 0, version: 100, generation: 1, readyLimit: Infinity, exists: true };
  let stale = { looks: 0, readyReplicas: 0 };
  let beforePatch: (() => unknown) | undefined;
  let afterPatch: (() => void) | undefined;

  const setReplicas = (replicas: number) => {
    if (replicas !== deployment.replicas) deployment.generation += 1;
    deployment.replicas = replicas;
    deployment.version += 1;
  };

  /** A zero is left out, as the real one does. */
  const scale = () => ({
    kind: 'Scale',
    metadata: { name: 'runner', resourceVersion: String(deployment.version) },
    spec: deployment.replicas === 0 ? {} : { replicas: deployment.replicas },
    status: { replicas: Math.min(deployment.replicas, deployment.readyLimit) },
  });

  const workload = () => {
    const { generation, replicas } = deployment;
    const isStale = stale.looks > 0;
    stale = { ...stale, looks: stale.looks - 1 };
    const observedGeneration = isStale ? generation - 1 : generation;
    const readyReplicas = isStale ? stale.readyReplicas : Math.min(replicas, deployment.readyLimit);
    return {
      kind: 'Deployment',
      metadata: { name: 'runner', generation },
      spec: { replicas },
      status: { observedGeneration, ...(readyReplicas > 0 && { readyReplicas }) },
    };
  };

  const patch = async ({ headers, body }: TargetRequest): Promise<Answer> => {
    const act = beforePatch;
    beforePatch = undefined;
    await act?.();
    if (headers['content-type'] !== 'application/merge-patch+json') return refuse(415, 'unsupported media type');
    const { metadata, spec } = JSON.parse(body) as {
      metadata: { resourceVersion: string };
      spec: { replicas: number };
    };
    if (metadata.resourceVersion !== String(deployment.version)) {
      return refuse(409, 'Operation cannot be fulfilled: the object has been modified');
    }
    setReplicas(spec.replicas);
    const answer = { status: 200, body: scale() };
    afterPatch?.();
    afterPatch = undefined;
    return answer;
  };

  const answerTo = async (request: TargetRequest): Promise<Answer> => {
    if (request.headers.authorization !== `Bearer ${KUBERNETES_TOKEN}`) return refuse(401, 'Unauthorized');
    if (!deployment.exists) return refuse(404, 'deployments.apps "runner" not found');
    switch (`${request.method} ${request.path}`) {
      case `GET ${path}`:
        return { status: 200, body: workload() };
      case `GET ${path}/scale`:
        return { status: 200, body: scale() };
      case `PATCH ${path}/scale`:
        return patch(request);
      default:
        return refuse(404, 'the server could not find the requested resource');
    }
  };

  const respond = async (response: ServerResponse, request: TargetRequest): Promise<void> => {
    const call = `${request.method} ${request.path.replace(path, '') || '/'}`;
    calls.push(call === 'PATCH /scale' ? `${call} ${JSON.parse(request.body).spec.replicas}` : call);
    const fault = faults.get(call)?.shift();
    if (fault === 'hang') return;
    if (fault !== undefined && fault !== 'lost') {
      return send(response, { ...refuse(fault.status, fault.message ?? ''), headers: fault.headers ?? {} });
    }
    const answer = await answerTo(request);
    if (fault === 'lost') return void response.socket?.destroy();
    send(response, answer);
  };
  target.answer((response, request) => void respond(response, request));

  return {
    url: target.url + path,
    calls,
    replicas: () => deployment.replicas,
    setReplicas,
    limitReady: (ready) => (deployment.readyLimit = ready),
    staleStatus: (looks, readyReplicas) => (stale = { looks, readyReplicas }),
    exists: (does) => (deployment.exists = does),
    next: (call, ...more) => void faults.set(call, [...(faults.get(call) ?? []), ...more]),
    beforePatch: (act) => (beforePatch = act),
    afterPatch: (act) => (afterPatch = act),
    close: target.close,
  };
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
}

function refuse(status: number, message: string): Answer {
  return { status, body: { kind: 'Status', status: 'Failure', message, code: status } };
}

function send(response: ServerResponse, { status, headers = {}, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
