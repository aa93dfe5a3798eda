import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { Settings } from '#contract/settings.js';
import type { GatewayTarget } from '../hook/hook-options.js';

export interface HookForm {
  dialect: string;
  settings: Settings;
  gateway: GatewayTarget | undefined;
  tenant: string | undefined;
  /** Whether the gateway asks for a token. */
  hasToken: boolean;
}

const LOCAL_GATEWAY = 'http://127.0.0.1:7280';

/**
 * The line that a runtime runs for a hook, in whatever folder the agent works and without the variables of this terminal: so
 * every path is whole, and what is not as by default is said.
 */
export function hookCommandLine(
  { dialect, settings, gateway, tenant }: HookForm,
  word: (text: string) => string = exactWord,
): string {
  const url = gateway?.url ?? 'off';
  const words = [
    ...[word(process.execPath), word(meshCommandFile()), 'hook', dialect],
    ...['--home', word(resolve(settings.home))],
    ...(url === LOCAL_GATEWAY ? [] : ['--gateway', word(url)]),
    ...(tenant === undefined ? [] : ['--tenant', word(tenant)]),
  ];
  return words.join(' ');
}

export function hookUrl({ dialect, gateway }: HookForm): string {
  return `${(gateway?.url ?? LOCAL_GATEWAY).replace(/\/+$/, '')}/v1/hooks/${dialect}`;
}

/** Nobody looks at this one in a terminal: so every character stays what it is, those too that cannot be seen. */
function exactWord(text: string): string {
  return /^[\w@%+:,./][\w@%+:,./=~-]*$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** By the package's own name, which finds it from the sources and from what they are compiled to. */
export function meshCommandFile(): string {
  const manifest = createRequire(import.meta.url).resolve('remediation-mesh/package.json');
  return join(dirname(manifest), 'worker', 'mesh.mjs');
}
