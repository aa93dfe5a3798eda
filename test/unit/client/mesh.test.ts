import { expect, inject, test } from 'vitest';
import { connectMesh, WrongEventError } from '../../../client/mesh.js';

test('a wrong event rejects the report, and does not throw out of the call', async () => {
  const connection = { address: inject('temporalAddress'), namespace: 'default', options: {}, isGiven: true };
  const mesh = await connectMesh({ connection });

  const report = mesh.report({ event: 'no such name!' });

  await expect(report).rejects.toThrow(WrongEventError);
  await mesh.close();
});
