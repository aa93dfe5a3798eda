import type { Mesh } from '../mesh.js';
import { whileWaiting } from './while-waiting.js';
import { withMesh } from './with-mesh.js';

/** Connects and asks what a worker has to answer. */
export function withWorker<T>(work: (mesh: Mesh) => Promise<T>): Promise<T> {
  return withMesh((mesh) => whileWaiting(() => work(mesh)));
}
