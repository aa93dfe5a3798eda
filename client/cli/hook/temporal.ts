import { connect } from 'node:net';
import type { Environment, Settings } from '../../../contract/settings.js';
import type { EventInput } from '../../event-input.js';
import type { Mesh } from '../../mesh.js';
import { quickLookup } from './quick-lookup.js';

/** Its modules are loaded by then, so this is for connecting and storing alone. */
const STORE_WITHIN_MS = 1_000;

/** Whether the environment itself says where Temporal is. */
export function namesTemporal(env: Environment): boolean {
  return ['TEMPORAL_ADDRESS', 'TEMPORAL_CONFIG_FILE', 'TEMPORAL_PROFILE'].some((name) => Boolean(env[name]));
}

/** Whether somebody listens there: loading the client takes longer than all else a hook does, and must be worth it. */
export async function isTemporalThere(env: Environment, settings: Settings, withinMs: number): Promise<boolean> {
  const address = env['TEMPORAL_ADDRESS'] || undefined;
  // A profile may name any address; only the client reads it.
  if (address === undefined && namesTemporal(env)) return true;
  const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(address ?? `127.0.0.1:${settings.temporalPort}`) ?? [];
  return host !== '' && accepts(host, Number(port), withinMs);
}

/** Stores events without a gateway. What it opens ends with the process. */
export function createStraightSend(env: Environment): (events: readonly EventInput[]) => Promise<void> {
  let connected: Promise<Mesh> | undefined;
  return async (events) => {
    connected ??= import('../../mesh.js').then(({ connectMesh }) =>
      connectMesh({ env, isLazy: true, giveUpAfterMs: STORE_WITHIN_MS }),
    );
    await (await connected).report(events);
  };
}

function accepts(host: string, port: number, withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    if (withinMs <= 0 || port > 65_535) return resolve(false);
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
