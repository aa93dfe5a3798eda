import { connect } from 'node:net';
import type { Environment, Settings } from '#contract/settings.js';
import type { EventInput } from '../../event-input.js';
import { quickLookup } from './quick-lookup.js';

/**
 * Its modules are loaded by then, so this is for connecting and storing alone. That takes 80 ms, and 250 with four at once on
 * two cores; a server that takes connections and then is silent costs an agent all of it.
 */
const STORE_WITHIN_MS = 500;

/** Whether the environment itself says where Temporal is. */
export function namesTemporal(env: Environment): boolean {
  return ['TEMPORAL_ADDRESS', 'TEMPORAL_CONFIG_FILE', 'TEMPORAL_PROFILE'].some((name) => Boolean(env[name]));
}

/** Whether somebody listens there: loading the client takes longer than all else a hook does, and must be worth it. */
export async function isTemporalThere(env: Environment, settings: Settings, withinMs: number): Promise<boolean> {
  const address = env['TEMPORAL_ADDRESS'] || undefined;
  // A profile may name any address; only the client reads it.
  if (address === undefined && namesTemporal(env)) return true;
  const place = hostAndPort(address ?? `127.0.0.1:${settings.temporalPort}`);
  return place === undefined || accepts(place.host, place.port, withinMs);
}

/** Undefined for an address that only the client understands, if it does. */
export function hostAndPort(address: string): { host: string; port: number } | undefined {
  const [, ipv6, name, written] =
    /^(?:[a-z]+:\/\/)?(?:\[([0-9a-f:.]+)\]|([^\s:/[\]]+))(?::(\d+))?\/?$/i.exec(address) ?? [];
  const host = ipv6 ?? name;
  const port = written === undefined ? DEFAULT_PORT : Number(written);
  return host === undefined || port > 65_535 ? undefined : { host, port };
}

const DEFAULT_PORT = 7233;

/** Loads the client, and stores events without a gateway. What it opens ends with the process. */
export async function openStraightSend(env: Environment): Promise<(events: readonly EventInput[]) => Promise<void>> {
  const { connectMesh } = await import('../../mesh.js');
  const mesh = await connectMesh({ env, isLazy: true, isForOthers: true, giveUpAfterMs: STORE_WITHIN_MS });
  return async (events) => void (await mesh.report(events));
}

function accepts(host: string, port: number, withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    if (withinMs <= 0) return resolve(false);
    const answer = (is: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(is);
    };
    const socket = connect({ host, port, lookup: quickLookup });
    const timer = setTimeout(() => answer(false), withinMs);
    socket.once('connect', () => answer(true));
    socket.on('error', () => answer(false));
  });
}
