import type { Mesh } from '../mesh.js';

/** Connects, does the work, and disconnects whatever came of it. */
export async function withMesh<T>(work: (mesh: Mesh) => Promise<T>): Promise<T> {
  // Loaded only here: most of the time of a command that needs no server would go into the Temporal client.
  const { connectMesh } = await import('../mesh.js');
  const mesh = await connectMesh({ env: process.env, source: 'cli', isForOthers: true });
  try {
    return await work(mesh);
  } finally {
    await mesh.close();
  }
}
