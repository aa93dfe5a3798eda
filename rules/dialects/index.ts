import { claudeCodeEvent, CLAUDE_CODE_EVENTS, inHook } from './claude-code/event.js';
import { claudeCodeFields } from './claude-code/fields.js';
import { claudeCodeInstall } from './claude-code/install.js';
import { cloudEvent, inCloudEvent } from './cloudevents/event.js';
import type { Dialect, HookFields, Install } from './dialect.js';

/** Every dialect by the name that routes, commands and settings of runtimes have for it. */
export const DIALECTS: Readonly<Record<string, Dialect>> = {
  'claude-code': {
    title: 'Claude Code',
    event: claudeCodeEvent,
    placeOf: inHook,
    events: CLAUDE_CODE_EVENTS,
    fields: claudeCodeFields,
    install: claudeCodeInstall,
  },
  cloudevents: { title: 'CloudEvents', event: cloudEvent, placeOf: inCloudEvent, events: [] },
};

export const DIALECT_NAMES = Object.keys(DIALECTS);

export type HookDialect = Dialect & { fields: HookFields };

/** Those that come in hooks: each has a route, and `mesh hook` takes it. */
export const HOOK_DIALECTS: ReadonlyMap<string, HookDialect> = new Map(
  Object.entries(DIALECTS).flatMap(([name, dialect]): [string, HookDialect][] =>
    dialect.fields ? [[name, { ...dialect, fields: dialect.fields }]] : [],
  ),
);

/** What `mesh install` can write hooks for. */
export const INSTALLS: ReadonlyMap<string, Install> = new Map(
  Object.entries(DIALECTS).flatMap(([name, { install }]): [string, Install][] => (install ? [[name, install]] : [])),
);
