import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { Settings } from '#contract/settings.js';
import type { GatewayTarget } from '../hook/hook-options.js';
import type { HookEntry } from './hook-entries.js';

export interface HookForm {
  settings: Settings;
  gateway: GatewayTarget | undefined;
  tenant: string | undefined;
  /** Whether the gateway asks for a token. */
  hasToken: boolean;
}

/** In seconds. A hook ends far sooner by itself; this is for a machine that is very busy. */
const TIMEOUT_SECONDS = 10;
const LOCAL_GATEWAY = 'http://127.0.0.1:7280';

/**
 * The form that loses nothing. Ends with 0 even where the path to Node or the mesh leads nowhere any more, as after an update:
 * to a runtime, other codes mean something.
 */
export function commandHook(form: HookForm, event?: string): HookEntry {
  const line = commandLine(form, exactWord);
  const command = event === 'StopFailure' ? insisting(line) : `${line} || :`;
  return { type: 'command', command, timeout: TIMEOUT_SECONDS };
}

/**
 * Through a shell, in whatever folder the agent works and without the variables of this terminal: so every path is whole,
 * and what is not as by default is said.
 */
export function commandLine({ settings, gateway, tenant }: HookForm, word: (text: string) => string): string {
  const url = gateway?.url ?? 'off';
  const words = [
    ...[word(process.execPath), word(meshCommandFile()), 'hook', 'claude-code'],
    ...['--home', word(resolve(settings.home))],
    ...(url === LOCAL_GATEWAY ? [] : ['--gateway', word(url)]),
    ...(tenant === undefined ? [] : ['--tenant', word(tenant)]),
  ];
  return words.join(' ');
}

/** Nobody looks at this one in a terminal: so every character stays what it is, those too that cannot be seen. */
function exactWord(text: string): string {
  return /^[\w@%+:,./][\w@%+:,./=~-]*$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Claude Code does not wait for this event's hook. When it ends right after, as `claude -p` does, it signals the hook, which
 * may not have begun: then the shell, which lets the signal pass, begins it again. A hook that has begun ends with 0.
 */
function insisting(command: string): string {
  return `trap : TERM HUP INT; ${command} || ${command} || :`;
}

/** Posted by the runtime itself; what the gateway does not take at once is lost. */
export function httpHook({ gateway, hasToken }: HookForm): HookEntry {
  const variables: Record<string, string> = {
    'X-Mesh-Depth': 'MESH_DEPTH',
    'X-Mesh-Root-Event': 'MESH_ROOT_EVENT',
    'X-Mesh-Remediation': 'MESH_REMEDIATION',
    'X-Mesh-Lineage': 'MESH_LINEAGE',
  };
  const headers = Object.fromEntries(Object.entries(variables).map(([header, name]) => [header, `$${name}`]));
  return {
    type: 'http',
    url: `${(gateway?.url ?? LOCAL_GATEWAY).replace(/\/+$/, '')}/v1/hooks/claude-code`,
    timeout: TIMEOUT_SECONDS,
    headers: { ...(hasToken && { Authorization: 'Bearer $MESH_TOKEN' }), ...headers },
    allowedEnvVars: [...(hasToken ? ['MESH_TOKEN'] : []), ...Object.values(variables)],
  };
}

/** By the package's own name, which finds it from the sources and from what they are compiled to. */
export function meshCommandFile(): string {
  const manifest = createRequire(import.meta.url).resolve('remediation-mesh/package.json');
  return join(dirname(manifest), 'worker', 'mesh.mjs');
}
