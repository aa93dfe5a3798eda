import { formatPath } from '../../../contract/problem.js';
import { CliError } from '../cli-error.js';

/** What the mesh is told of: a failure of a tool or of the model, and the end of a task or a subagent. */
export const INSTALLED_EVENTS = ['PostToolUseFailure', 'TaskCompleted', 'SubagentStop', 'StopFailure'];

/** Of Claude Code. `timeout` is in seconds. */
export interface HookEntry {
  type: 'command' | 'http';
  timeout: number;
  [field: string]: unknown;
}

type Json = Record<string, unknown>;

/**
 * The `hooks` of a settings file with ours in it: in place of an earlier one of ours, else added. Everything else stays as it
 * is. A shape that Claude Code itself would not understand is refused, since what stands there may be lost otherwise.
 */
export function withHookEntries(
  settings: unknown,
  entryFor: (event: string) => HookEntry,
  file: string,
): { hooks: Json; changed: string[] } {
  const hooks = objectAt(objectAt(settings, [], file)['hooks'] ?? {}, ['hooks'], file);
  const events = [...new Set([...Object.keys(hooks), ...INSTALLED_EVENTS])];
  const changed: string[] = [];
  const result: Json = {};
  for (const event of events) {
    const isInstalled = INSTALLED_EVENTS.includes(event);
    const before = hooks[event];
    if (isInstalled || Array.isArray(before)) {
      const groups = isInstalled ? groupsAt(before ?? [], event, file) : (before as unknown[]);
      const after = withEntry(groups, entryFor(event), isInstalled);
      if (JSON.stringify(after) !== JSON.stringify(before ?? [])) changed.push(event);
      result[event] = after;
    } else {
      result[event] = before;
    }
  }
  return { hooks: result, changed };
}

function groupsAt(value: unknown, event: string, file: string): unknown[] {
  const groups = listAt(value, ['hooks', event], file);
  groups.forEach((group, index) => {
    const path = ['hooks', event, index];
    const { hooks } = objectAt(group, path, file);
    listAt(hooks, [...path, 'hooks'], file).forEach((hook, at) => objectAt(hook, [...path, 'hooks', at], file));
  });
  return groups;
}

/** The first one of ours keeps its place, and with it the matcher somebody may have given it; others are leftovers. */
function withEntry(groups: unknown[], entry: HookEntry, isInstalled: boolean): unknown[] {
  let isThere = false;
  const kept = groups.flatMap((group) => {
    const { hooks } = (group ?? {}) as Json;
    if (!Array.isArray(hooks) || !hooks.some(isOurs)) return [group];
    const others = (hooks as unknown[]).flatMap((hook) => {
      if (!isOurs(hook)) return [hook];
      if (isThere) return [];
      isThere = true;
      return [replaced(hook as Json, entry)];
    });
    return others.length === 0 ? [] : [{ ...(group as Json), hooks: others }];
  });
  return isThere || !isInstalled ? kept : [...kept, { hooks: [entry] }];
}

/** Fields that somebody added stay, as long as it is the same kind of hook. */
function replaced(old: Json, entry: HookEntry): Json {
  if (old['type'] !== entry.type) return entry;
  const timeout = typeof old['timeout'] === 'number' ? old['timeout'] : entry.timeout;
  return { ...old, ...entry, timeout };
}

function isOurs(hook: unknown): boolean {
  const { command, url } = (hook ?? {}) as Json;
  return (
    (typeof command === 'string' && /\bmesh(\.mjs)?['"]?\s+hook\s+claude-code\b/.test(command)) ||
    (typeof url === 'string' && /\/v1\/hooks\/claude-code\/?$/.test(url))
  );
}

function objectAt(value: unknown, path: (string | number)[], file: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw wrongShape(path, 'an object', file);
}

function listAt(value: unknown, path: (string | number)[], file: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw wrongShape(path, 'a list', file);
}

function wrongShape(path: (string | number)[], expected: string, file: string): CliError {
  const place = path.length === 0 ? file : `${file}: ${formatPath(path)}`;
  return new CliError(
    `${place}: expected ${expected}. Nothing was changed: mend the file, or name another with --settings.`,
  );
}
