import { z } from 'zod';
import { type Answered, ask, type Line, send } from './send.js';

const API = 'the Kubernetes API';

/** The subresource `scale` of an object. */
export interface Scale {
  version: string;
  wanted: number;
  running: number;
}

export async function findScale(line: Line, signal: AbortSignal): Promise<Scale | undefined> {
  const answered = await send(API, line, { method: 'GET', path: '/scale', answer: ScaleAnswer }, signal);
  if (answered.ok) return answered.answer;
  if (answered.status === 404) return undefined;
  throw answered.failure;
}

const Count = z.int({ error: 'a whole number' });

/** Kubernetes leaves zeros out. */
const ScaleAnswer = z
  .object(
    {
      metadata: z.object({ resourceVersion: z.string({ error: 'a text' }) }, { error: 'an object' }),
      spec: z.object({ replicas: Count.default(0) }, { error: 'an object' }).prefault({}),
      status: z.object({ replicas: Count.default(0) }, { error: 'an object' }).prefault({}),
    },
    { error: 'a Scale' },
  )
  .transform(({ metadata, spec, status }): Scale => ({
    version: metadata.resourceVersion,
    wanted: spec.replicas,
    running: status.replicas,
  }));

/** Refused with 409 if anybody has written to the object since this version of it. */
export function setReplicas(
  line: Line,
  replicas: number,
  resourceVersion: string,
  signal: AbortSignal,
): Promise<Answered<Scale>> {
  const call = {
    method: 'PATCH',
    path: '/scale',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { metadata: { resourceVersion }, spec: { replicas } },
    answer: ScaleAnswer,
  } as const;
  return send(API, line, call, signal);
}

export interface Workload {
  wanted: number;
  ready: number;
}

/** A Scale says how many run. For the built-in kinds the object itself says how many of them are ready. */
export async function findWorkload(line: Line, signal: AbortSignal): Promise<Workload> {
  if (new URL(line.base).pathname.includes('/apis/apps/')) {
    return ask(API, line, { method: 'GET', path: '', answer: WorkloadAnswer }, signal);
  }
  const { wanted, running } = await ask(API, line, { method: 'GET', path: '/scale', answer: ScaleAnswer }, signal);
  return { wanted, ready: running };
}

const WorkloadAnswer = z
  .object(
    {
      metadata: z.object({ generation: Count.optional() }, { error: 'an object' }).prefault({}),
      spec: z.object({ replicas: Count }, { error: 'an object' }),
      status: z
        .object({ observedGeneration: Count.optional(), readyReplicas: Count.default(0) }, { error: 'an object' })
        .prefault({}),
    },
    { error: 'an object' },
  )
  .transform(({ metadata, spec, status }): Workload => {
    const isSeen = isStatusOf(metadata.generation, status.observedGeneration);
    return { wanted: spec.replicas, ready: isSeen ? status.readyReplicas : 0 };
  });

/** Each change of the spec counts the generation up; the status says up to which one it was brought. */
function isStatusOf(generation = 0, observedGeneration = generation): boolean {
  return observedGeneration >= generation;
}
