import { formatPath } from '#contract/text/problem.js';
import { CliError } from '../cli-error.js';

/** What the mesh is told of: a failure of a tool or of the model, and the end of a task or a subagent. */
const INSTALLED_EVENTS = ['PostToolUseFailure', 'TaskCompleted', 'SubagentStop', 'StopFailure'];

/** What ends an alert again: see `resolveOn` in docs/actions/notify-team.md. It comes with every call of a tool, so it is asked for. */
const SUCCESS_EVENT = 'PostToolUse';

/** With those of an earlier run that asked for more. */
export function eventsToInstall(settings: unknown, { successes = false }: { successes?: boolean }): string[] {
  const hooks = (settings as { hooks?: Record<string, unknown> } | null)?.hooks;
  return successes || hasOurs(hooks?.[SUCCESS_EVENT]) ? [...INSTALLED_EVENTS, SUCCESS_EVENT] : INSTALLED_EVENTS;
}

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
  wanted: readonly string[],
): { hooks: Json; changed: string[] } {
  const hooks = objectAt(objectAt(settings, [], file)['hooks'] ?? {}, ['hooks'], file);
  const events = [...new Set([...Object.keys(hooks), ...wanted])];
  const changed: string[] = [];
  const result: Json = {};
  for (const event of events) {
    const before = hooks[event];
    // What somebody put under another event is theirs.
    if (!wanted.includes(event)) {
      result[event] = before;
      continue;
    }
    const after = withEntry(groupsAt(before ?? [], event, file), entryFor(event));
    if (JSON.stringify(after) !== JSON.stringify(before ?? [])) changed.push(event);
    result[event] = after;
  }
  return { hooks: result, changed };
}

function groupsAt(value: unknown, event: string, file: string): Json[] {
  const groups = listAt(value, ['hooks', event], file);
  return groups.map((given, index) => {
    const path = ['hooks', event, index];
    const group = objectAt(given, path, file);
    listAt(group['hooks'], [...path, 'hooks'], file).forEach((hook, at) =>
      objectAt(hook, [...path, 'hooks', at], file),
    );
    return group;
  });
}

/**
 * Ours keep their places, and with them the matchers somebody may have given them. A second one that would be called for the
 * same is a leftover.
 */
function withEntry(groups: Json[], entry: HookEntry): unknown[] {
  const matchers = new Set<unknown>();
  const kept = groups.flatMap((group) => {
    const hooks = group['hooks'] as Json[];
    if (!hooks.some(isOurs)) return [group];
    const left = hooks.flatMap((hook) => {
      if (!isOurs(hook)) return [hook];
      const matcher = matcherOf(group);
      if (matchers.has(matcher)) return [];
      matchers.add(matcher);
      return [replaced(hook, entry)];
    });
    return left.length === 0 ? [] : [{ ...group, hooks: left }];
  });
  return matchers.size > 0 ? kept : [...kept, { hooks: [entry] }];
}

/** None, an empty one and a star all stand for everything. */
function matcherOf({ matcher }: Json): unknown {
  return matcher === '' || matcher === '*' ? undefined : matcher;
}

/** Fields that somebody added stay, as long as it is the same kind of hook. */
function replaced(old: Json, entry: HookEntry): Json {
  if (old['type'] !== entry.type) return entry;
  const timeout = typeof old['timeout'] === 'number' ? old['timeout'] : entry.timeout;
  return { ...old, ...entry, timeout };
}

/** Of a shape that nobody has looked at yet. */
function hasOurs(groups: unknown): boolean {
  const hooks = Array.isArray(groups) ? groups.flatMap((group: Partial<Json> | null) => group?.['hooks'] ?? []) : [];
  return hooks.some((hook) => typeof hook === 'object' && hook !== null && isOurs(hook as Json));
}

function isOurs({ command, url }: Json): boolean {
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
