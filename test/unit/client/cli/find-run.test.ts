import { expect, test } from 'vitest';
import { findRun } from '#client/cli/find-run.js';
import { createFakeMesh } from '../../../support/fake-mesh.js';

const NOTICES = ['digest/default/a%20rule/k_-1/1700000000000', 'resolve/default/retry/1he6sh0f5ed/1795032771182'];

test.each(['remediation/default/retry/e-1', ...NOTICES])('%s is an id that can be retried', async (id) => {
  expect(await findRun(createFakeMesh(), id, 'default', 'retry')).toBe(id);
});

test.each(NOTICES)('%s is no remediation, and whoever takes it for one is told', async (id) => {
  await expect(findRun(createFakeMesh(), id, 'default', 'show')).rejects.toThrow(
    `${id} is a message of the mesh itself: its page in the Temporal UI shows how it stands`,
  );
});

test.each(NOTICES)('%s is ended in Temporal', async (id) => {
  await expect(findRun(createFakeMesh(), id, 'default', 'abort')).rejects.toThrow(
    `${id} is a message of the mesh itself: \`temporal workflow cancel --workflow-id ${id}\` ends it`,
  );
});

test.each([
  ['show', '`npx mesh status` shows since when it runs'],
  ['abort', "`temporal workflow cancel --workflow-id 'lease/mesh/gpu!'` gives the capacity back now"],
  ['retry', '`npx mesh dead` says of one that failed'],
])('whoever gives a lease to mesh %s is told what to do instead', async (command, instead) => {
  await expect(findRun(createFakeMesh(), 'lease/mesh/gpu!', 'default', command)).rejects.toThrow(
    `lease/mesh/gpu! is a lease on capacity: ${instead}`,
  );
});

test.each(['lease/mesh', 'digest/default/retry/k', 'watch/default'])('%s is neither', async (id) => {
  await expect(findRun(createFakeMesh(), id, 'default', 'show')).rejects.toThrow(
    `"${id}": expected remediation/<tenant>/<rule>/<event id>, or the id of an event; see \`npx mesh runs\``,
  );
  await expect(findRun(createFakeMesh(), id, 'default', 'retry')).rejects.toThrow(
    'the id of an event, or digest/… or resolve/… as `npx mesh dead` lists them',
  );
});
