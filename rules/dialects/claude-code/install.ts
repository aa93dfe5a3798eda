import { formatPath, type Problem } from '#contract/text/problem.js';
import type { Install, InstallPlan, InstallWish, SettingsEdit } from '../dialect.js';
import { isObject } from '../mapped.js';

export const claudeCodeInstall: Install = {
  settingsFile: ({ CLAUDE_CONFIG_DIR }) => [CLAUDE_CONFIG_DIR || '.claude', 'settings.json'],
  settings: (current, wish) => problemIn(current) ?? planFor(current as Settings, wish),
  example: { hook_event_name: 'PostToolUseFailure', session_id: 'try', tool_name: 'Bash', error: 'timeout' },
  httpNotes: [
    'What the gateway does not take at once is lost, and with `claude -p` StopFailure never arrives: the command form',
    'has a spool, and insists.',
  ],
};

interface Settings {
  hooks?: Record<string, Group[]>;
  disableAllHooks?: unknown;
}

interface Group {
  matcher?: unknown;
  hooks: Record<string, unknown>[];
}

/** What Claude Code calls. `timeout` is in seconds. */
interface HookEntry {
  type: 'command' | 'http';
  timeout: number;
  [field: string]: unknown;
}

/** A shape that Claude Code itself would not understand: what stands there may be lost if it were written over. */
function problemIn(settings: unknown): { problem: Problem } | undefined {
  if (!isObject(settings)) return wrongShape([], 'an object');
  const { hooks = {} } = settings;
  if (!isObject(hooks)) return wrongShape(['hooks'], 'an object');
  for (const event of [...INSTALLED_EVENTS, SUCCESS_EVENT]) {
    const groups = hooks[event] ?? [];
    if (!Array.isArray(groups)) return wrongShape(['hooks', event], 'a list');
    for (const [at, group] of (groups as unknown[]).entries()) {
      const path = ['hooks', event, at];
      if (!isObject(group)) return wrongShape(path, 'an object');
      const entries = group['hooks'];
      if (!Array.isArray(entries)) return wrongShape([...path, 'hooks'], 'a list');
      const wrong = entries.findIndex((entry) => !isObject(entry));
      if (wrong >= 0) return wrongShape([...path, 'hooks', wrong], 'an object');
    }
  }
  return undefined;
}

function wrongShape(path: (string | number)[], expected: string): { problem: Problem } {
  return { problem: { path: formatPath(path), message: `expected ${expected}`, expected } };
}

/** Ours in place of an earlier one of ours, else added. What somebody put under another event is theirs. */
function planFor({ hooks, disableAllHooks }: Settings, wish: InstallWish): InstallPlan {
  const successes = wish.successes || (hooks?.[SUCCESS_EVENT] ?? []).some((group) => group.hooks.some(isOurs));
  const events = successes ? [...INSTALLED_EVENTS, SUCCESS_EVENT] : INSTALLED_EVENTS;
  const edits = events.flatMap((event): (SettingsEdit & { event: string })[] => {
    const before = hooks?.[event] ?? [];
    const value = withEntry(before, entryFor(event, wish));
    return JSON.stringify(value) === JSON.stringify(before) ? [] : [{ event, path: ['hooks', event], value }];
  });
  return {
    edits: edits.map(({ path, value }) => ({ path, value })),
    changed: edits.map(({ event }) => event),
    warnings: disableAllHooks === true ? ['Warning: disableAllHooks is set in this file, so no hook runs.'] : [],
  };
}

/** What the mesh is told of: a failure of a tool or of the model, and the end of a task or a subagent. */
const INSTALLED_EVENTS = ['PostToolUseFailure', 'TaskCompleted', 'SubagentStop', 'StopFailure'];

/** What ends an alert again: see `resolveOn` in docs/actions/notify-team.md. It comes with every call of a tool, so it is asked for. */
const SUCCESS_EVENT = 'PostToolUse';

/**
 * Ours keep their places, and with them the matchers somebody may have given them. A second one that would be called for the
 * same is a leftover.
 */
function withEntry(groups: Group[], entry: HookEntry): Group[] {
  const matchers = new Set<unknown>();
  const kept = groups.flatMap((group) => {
    if (!group.hooks.some(isOurs)) return [group];
    const hooks = group.hooks.flatMap((hook) => {
      if (!isOurs(hook)) return [hook];
      const matcher = matcherOf(group);
      if (matchers.has(matcher)) return [];
      matchers.add(matcher);
      return [replaced(hook, entry)];
    });
    return hooks.length === 0 ? [] : [{ ...group, hooks }];
  });
  return matchers.size > 0 ? kept : [...kept, { hooks: [entry] }];
}

function isOurs({ command, url }: Record<string, unknown>): boolean {
  return (
    (typeof command === 'string' && /\bmesh(\.mjs)?['"]?\s+hook\s+claude-code\b/.test(command)) ||
    (typeof url === 'string' && /\/v1\/hooks\/claude-code\/?$/.test(url))
  );
}

/** None, an empty one and a star all stand for everything. */
function matcherOf({ matcher }: Group): unknown {
  return matcher === '' || matcher === '*' ? undefined : matcher;
}

/** Fields that somebody added stay, as long as it is the same kind of hook. */
function replaced(old: Record<string, unknown>, entry: HookEntry): HookEntry {
  if (old['type'] !== entry.type) return entry;
  const timeout = typeof old['timeout'] === 'number' ? old['timeout'] : entry.timeout;
  return { ...old, ...entry, timeout };
}

function entryFor(event: string, { form, command, url, hasToken }: InstallWish): HookEntry {
  if (form === 'http') return httpEntry(url, hasToken);
  return {
    type: 'command',
    command: event === 'StopFailure' ? insisting(command) : `${command} || :`,
    timeout: TIMEOUT_SECONDS,
  };
}

/** A hook ends far sooner by itself; this is for a machine that is very busy. */
const TIMEOUT_SECONDS = 10;

/**
 * Claude Code does not wait for this event's hook. When it ends right after, as `claude -p` does, it signals the hook, which
 * may not have begun: then the shell, which lets the signal pass, begins it again. A hook that has begun ends with 0.
 */
function insisting(command: string): string {
  return `trap : TERM HUP INT; ${command} || ${command} || :`;
}

/** Posted by the runtime itself; what the gateway does not take at once is lost. */
function httpEntry(url: string, hasToken: boolean): HookEntry {
  const variables: Record<string, string> = {
    'X-Mesh-Depth': 'MESH_DEPTH',
    'X-Mesh-Root-Event': 'MESH_ROOT_EVENT',
    'X-Mesh-Remediation': 'MESH_REMEDIATION',
    'X-Mesh-Lineage': 'MESH_LINEAGE',
  };
  const headers = Object.fromEntries(Object.entries(variables).map(([header, name]) => [header, `$${name}`]));
  return {
    type: 'http',
    url,
    timeout: TIMEOUT_SECONDS,
    headers: { ...(hasToken && { Authorization: 'Bearer $MESH_TOKEN' }), ...headers },
    allowedEnvVars: [...(hasToken ? ['MESH_TOKEN'] : []), ...Object.values(variables)],
  };
}
