import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Environment, readSettings, SETTINGS, type Settings } from '#contract/settings.js';

export interface HookOptions {
  dialect: string | undefined;
  home: string;
  spool: string;
  tenant: string | undefined;
  isVerbose: boolean;
  /** For all that goes over the network, unless somebody is there to take the event. */
  waitMs: number;
  settings: Settings;
  /** Where to post to first; none when there is to be no gateway. */
  gateway: GatewayTarget | undefined;
  token: string | undefined;
  /** What could not be understood. A hook goes on without it. */
  problems: string[];
}

export interface GatewayTarget {
  url: string;
  /** Of this machine, and so in front of the same Temporal server as the hook itself would find. */
  isLocal: boolean;
}

const OPTIONS = {
  home: { type: 'string' },
  gateway: { type: 'string' },
  tenant: { type: 'string' },
  wait: { type: 'string' },
  verbose: { type: 'boolean' },
} as const;

const WAIT_MS = { usual: 300, least: 10, most: 3_000 };

/** Reads a command line and an environment in which anything may be wrong. */
export function readHookOptions(args: string[], env: Environment): HookOptions {
  const { settings, problems } = readSettings(env);
  const { values, positionals, tokens } = parseArgs({
    args,
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const text = (name: 'home' | 'gateway' | 'tenant' | 'wait') => {
    const value = values[name];
    if (typeof value === 'string' && value !== '') return value;
    if (value !== undefined) problems.push(`--${name} needs a value`);
    return undefined;
  };
  for (const token of tokens) {
    if (token.kind === 'option' && !Object.hasOwn(OPTIONS, token.name))
      problems.push(`unknown option ${token.rawName}`);
  }
  const [dialect, ...rest] = positionals;
  if (rest.length > 0) problems.push(`unexpected ${rest.join(' ')}`);
  const home = text('home') ?? settings.home;
  return {
    dialect,
    home,
    spool: join(home, 'spool'),
    tenant: text('tenant'),
    isVerbose: values.verbose === true,
    waitMs: waitFrom(text('wait'), problems),
    settings,
    gateway: targetOf(text('gateway'), settings),
    token: settings.token ?? tokenIn(home, problems),
    problems,
  };
}

function waitFrom(written: string | undefined, problems: string[]): number {
  if (written === undefined) return WAIT_MS.usual;
  const waitMs = /^\d+$/.test(written) ? Number(written) : NaN;
  if (waitMs >= WAIT_MS.least && waitMs <= WAIT_MS.most) return waitMs;
  problems.push(`--wait: expected ${WAIT_MS.least} to ${WAIT_MS.most} milliseconds, found ${JSON.stringify(written)}`);
  return WAIT_MS.usual;
}

/** `off` stands for none. */
export function targetOf(url: string | undefined, settings: Settings): GatewayTarget | undefined {
  const given = url ?? settings.gatewayUrl;
  if (given === 'off') return undefined;
  if (given !== undefined) return { url: given, isLocal: isLoopback(given) && isBeside(given, settings) };
  if (settings.gatewayPort === undefined) return undefined;
  const host = ['0.0.0.0', '::', ''].includes(settings.gatewayHost) ? '127.0.0.1' : settings.gatewayHost;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${settings.gatewayPort}`, isLocal: true };
}

export function tokenIn(home: string, problems: string[]): string | undefined {
  try {
    return readFileSync(join(home, 'token'), 'utf8').trim() || undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') problems.push(`the token cannot be read: ${message}`);
    return undefined;
  }
}

/** A gateway on a port of its own has a Temporal of its own, which the default port would miss; unless that is said too. */
function isBeside(url: string, { gatewayPort, temporalPort }: Settings): boolean {
  return new URL(url).port === String(gatewayPort) || temporalPort !== DEFAULT_TEMPORAL_PORT;
}

const DEFAULT_TEMPORAL_PORT = Number(SETTINGS.MESH_TEMPORAL_PORT.default);

function isLoopback(url: string): boolean {
  try {
    const { hostname } = new URL(url);
    return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
  } catch {
    return false;
  }
}
