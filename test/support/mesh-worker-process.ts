import { join } from 'node:path';
import { inject } from 'vitest';
import type { TestMesh } from './test-mesh.js';
import { startWorkerProcess, type WorkerProcess } from './worker-process.js';

export interface MeshWorkerOptions {
  stops?: readonly string[];
}

/** A worker of this mesh in a process of its own, for a test that kills it. */
export function startMeshWorkerProcess(
  { folder, taskQueue }: TestMesh,
  { stops = [] }: MeshWorkerOptions = {},
): Promise<WorkerProcess> {
  return startWorkerProcess({
    address: inject('temporalAddress'),
    taskQueue,
    folder,
    settings: {
      rules: join(folder, 'rules'),
      config: join(folder, 'mesh.yaml'),
      home: join(folder, 'home'),
    },
    stops,
  });
}
