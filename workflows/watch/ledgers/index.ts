import { emptyMemory } from '#rules/guards/memory.js';
import { byteLength } from '../byte-length.js';
import { createAgents } from './agents.js';
import { createAlerts } from './alerts.js';
import { createChains } from './chains.js';
import { createFiles } from './files.js';
import { DISPENSABLE, type Ledger } from './ledger.js';
import { createNotices } from './notices.js';
import { createSeen } from './seen.js';
import { createStanding } from './standing.js';
import { createVerdicts } from './verdicts.js';
import { createWindows } from './windows.js';

/**
 * Everything that the watch remembers, one row each; people see it in this order. Whatever is carried over, bounded, pruned,
 * waited for, learnt and shown is a sum over these. The guards share one memory, with what judges by it.
 */
export function createLedgers(tenant: string, now: number, guards = emptyMemory()) {
  const standing = createStanding(now);
  const files = createFiles();
  return {
    guards,
    standing,
    files,
    verdicts: createVerdicts(tenant, guards, files),
    chains: createChains(guards),
    agents: createAgents(tenant, guards),
    notices: createNotices(tenant, guards),
    alerts: createAlerts(tenant, guards, standing),
    windows: createWindows(guards),
    seen: createSeen(guards),
  };
}

export type Ledgers = ReturnType<typeof createLedgers>;
export type LedgerName = Exclude<keyof Ledgers, 'guards'>;
export type SavedLedgers = { [Name in LedgerName]: ReturnType<Ledgers[Name]['save']> };

/** Each with its name. */
export function rowsOf({ guards: _guards, ...ledgers }: Ledgers): [LedgerName, Ledger][] {
  return Object.entries(ledgers) as [LedgerName, Ledger][];
}

export function loadLedgers(tenant: string, saved: SavedLedgers | undefined, now: number): Ledgers {
  const ledgers = createLedgers(tenant, now);
  if (saved) for (const [name, ledger] of rowsOf(ledgers)) ledger.load(saved[name]);
  return ledgers;
}

/**
 * What goes through continue-as-new. When it would be larger than `maxBytes`, what can be spared goes first; then the windows
 * nearest to expiry go, and are counted; what those kept quiet becomes messages now.
 */
export function saveLedgers(ledgers: Ledgers, maxBytes: number, now: number): SavedLedgers {
  const { windows, notices } = ledgers;
  const rows = rowsOf(ledgers);
  // Measured once, and again only where something went: windows are most of a large state.
  const sizes = new Map(rows.map(([name, ledger]) => [name, sizeOf(name, ledger)]));
  const excess = () => [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0) - maxBytes;
  for (const what of DISPENSABLE) {
    for (const [name, ledger] of rows) {
      for (const step of ledger.shed ?? []) {
        if (step.what !== what || excess() <= 0) continue;
        step.shed();
        sizes.set(name, sizeOf(name, ledger));
      }
    }
  }
  while (excess() > 0 && windows.evict(excess()) > 0) {
    notices.addDigests(now);
    notices.bound();
    sizes.set('windows', sizeOf('windows', windows)).set('notices', sizeOf('notices', notices));
  }
  return Object.fromEntries(rows.map(([name, ledger]) => [name, ledger.save()])) as SavedLedgers;
}

/** With its name, and the marks between it and the next. */
function sizeOf(name: LedgerName, ledger: Ledger): number {
  return byteLength(name) + 2 + byteLength(ledger.save());
}

export function pruneLedgers(ledgers: Ledgers, now: number): void {
  for (const [, ledger] of rowsOf(ledgers)) ledger.prune?.(now);
  // What ended cooldowns kept quiet is not carried over by itself.
  ledgers.notices.addDigests(now);
}
