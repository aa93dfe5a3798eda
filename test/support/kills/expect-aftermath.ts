import { expect } from 'vitest';
import { remediationId, slotsId } from '#contract/ids.js';
import { QUERIES } from '#contract/names.js';
import type { RemediationResult } from '#contract/remediation.js';
import type { SlotBook } from '#contract/slots.js';
import { eventually } from '../eventually.js';
import type { TestMesh } from '../test-mesh.js';
import { type Kind, type KillPoint, KINDS, LAUNCHERS, nextOf } from './kill-points.js';
import type { Receivers } from './receivers.js';

/** Each action is once in the record, and nothing in it is left open. */
export function expectExecuted({ awaits }: KillPoint, results: RemediationResult[]): void {
  const launched = (launcher: string, outcome: string) => ({
    agent: { launcher, outcome },
    launches: [{ launcher, status: 'launched' }],
  });
  const deliveries = [
    { delivery: 'email/ada', status: 'delivered' },
    { delivery: 'webhook/ops', status: 'delivered' },
  ];
  const more: Record<Kind, object> = {
    command: launched('command', 'success'),
    http: launched('http', awaits === 'http' ? 'success' : 'running'),
    message: { deliveries },
    capacity: {},
  };
  expect(results).toMatchObject(
    KINDS.map((kind) => ({
      outcome: 'executed',
      actions: [
        { action: kind, status: 'executed', ...more[kind] },
        { action: nextOf(kind), status: 'executed' },
      ],
    })),
  );
}

/** How often it came to each receiver, always under the one key, and how often each that honours keys took it. */
export async function expectEffects({ arrivals }: KillPoint, tenant: string, receivers: Receivers): Promise<void> {
  const keyOf = (kind: Kind, action: string = kind) => `${remediationId(tenant, kind, 'e-1')}/${action}`;
  const { mail, webhook, ...others } = receivers.keys();
  expect(receivers.arrivals()).toEqual(arrivals);
  for (const kind of ['command', 'http', 'capacity'] as const) {
    expect(new Set(others[kind])).toEqual(new Set([keyOf(kind)]));
  }
  expect([...new Set(mail)]).toEqual([expect.stringMatching(/^<\S+@\S+>$/)]);
  expect(new Set(webhook).size).toBe(1);

  expect([...receivers.agents.taken.keys()]).toEqual([keyOf('http')]);
  expect([...receivers.messages.taken.keys()]).toEqual([webhook[0]]);
  expect(receivers.overlaps()).toEqual([]);
  expect(await receivers.runningAgents()).toBe(0);
  const next = receivers.capacityKeys().filter((key) => key.endsWith('-next'));
  expect(next.sort()).toEqual(KINDS.map((kind) => keyOf(kind, nextOf(kind))).sort());
}

/** Every agent that has ended has given its slot back, whatever became of the worker that took it. */
export async function expectSlotsFree({ client, taskQueue }: TestMesh): Promise<void> {
  const books = LAUNCHERS.map((launcher) =>
    client.workflow.getHandle(slotsId(taskQueue, launcher)).query<SlotBook>(QUERIES.status),
  );
  expect(await Promise.all(books)).toMatchObject(LAUNCHERS.map(() => ({ held: [], waiting: [] })));
}

/**
 * One verdict, one remediation of each rule, one lease, although `e-1` came again; and the cooldowns that it armed hold when
 * `e-2` comes.
 */
export async function expectOneOfEach(mesh: TestMesh): Promise<void> {
  const { client, tenant } = mesh;
  const everyAction = KINDS.flatMap((kind) => [`${kind}/${kind}`, `${kind}/${nextOf(kind)}`]);
  expect(await mesh.judged('e-2')).toEqual(everyAction.map((action) => `${action} cooldown`));
  expect(await mesh.judged('e-1')).toEqual([...everyAction.map((action) => `${action} fire`), 'duplicate']);

  const ofTenant = (type: string) => `WorkflowType = '${type}' AND MeshTenant = '${tenant}'`;
  const count = async (type: string) => (await client.workflow.count(ofTenant(type))).count;
  await eventually('each in the list', async () =>
    (await count('remediate')) >= KINDS.length && (await count('lease')) >= 1 ? true : undefined,
  );
  expect([await count('remediate'), await count('lease')]).toEqual([KINDS.length, 1]);
}
