import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { WrongEventError } from '#client/errors.js';
import type { EventInput } from '#client/event-input.js';
import type { GatewayPolicy, PolicySource } from '#client/gateway/gateway-deps.js';
import type { Mesh } from '#client/mesh.js';
import { parseEvents } from '#client/parse-events.js';
import { listEntries, type SpoolEntry } from '#client/spool/entries.js';
import { type Draining, keepDraining } from '#client/spool/keep-draining.js';
import { formatProblem } from '#contract/text/problem.js';

export interface DrainSpoolOptions {
  /** `MESH_HOME`. */
  home: string;
  mesh: Pick<Mesh, 'send'>;
  policy: PolicySource;
  log(line: string): void;
}

/** Sends what hooks on this machine could not deliver, as if it had come through the gateway. */
export function drainSpool({ home, mesh, policy, log }: DrainSpoolOptions): Draining {
  return keepDraining({
    folder: spoolFolder(home),
    log,
    async send(events) {
      const { redactor } = await policy.current();
      const parsed = parseEvents(events, { now: Date.now(), makeId: randomUUID, source: 'hook' }, redactor);
      if (!parsed.ok) throw new WrongEventError(parsed.problems.map(formatProblem).join('; '), parsed.problems);
      await mesh.send(parsed.events);
    },
    async whose() {
      const now = await policy.current();
      return (entry) => ownEvent(entry, now);
    },
  });
}

/** An event that was to be shown with a token belongs to the tenant of that token, or waits until somebody knows it. */
function ownEvent({ event, tokenHash }: SpoolEntry, { access, unusable }: GatewayPolicy): EventInput | undefined {
  if (unusable !== undefined) return undefined;
  if (tokenHash === undefined || access.isOpen) return event;
  const principal = access.findByHash(tokenHash);
  if (!principal?.roles.includes('report')) return undefined;
  if (event.tenant !== undefined && event.tenant !== principal.tenant) return undefined;
  return { ...event, tenant: principal.tenant };
}

export function spoolFolder(home: string): string {
  return join(home, 'spool');
}

export async function countSpooled(home: string): Promise<number> {
  return (await listEntries(spoolFolder(home))).length;
}
