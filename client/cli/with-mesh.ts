import { connectMesh, type Mesh } from '../mesh.js';

/** Connects, does the work, and disconnects whatever came of it. */
export async function withMesh<T>(work: (mesh: Mesh) => Promise<T>): Promise<T> {
  const mesh = await connectMesh({ env: process.env, source: 'cli' });
  try {
    return await work(mesh);
  } finally {
    await mesh.close();
  }
}
