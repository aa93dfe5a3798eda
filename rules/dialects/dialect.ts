// The face of a dialect: how one runtime words its hooks. Nothing here or below loads zod or a module of Node but hashing: a
// hook has 250 ms for everything.

import type { Spelling } from '#contract/facts.js';
import type { Problem } from '#contract/text/problem.js';
import type { Environment } from '#contract/settings.js';
import type { Mapped } from './mapped.js';

/** One row of the table: each part is the file of its name in the folder of the dialect. */
export interface Dialect {
  /** The runtime, for people. */
  title: string;
  /** Makes an event of what the runtime sent. */
  event(raw: unknown): Mapped;
  /** Where the runtime finds what a problem of that event is about: the path in what it sent. */
  placeOf(path: string): string;
  /** The names of the events that it sends, as far as they are known. */
  events: readonly string[];
  /** How its payloads spell what they say. Absent where that is as the mesh itself does. */
  spelling?: Spelling;
  /** Absent for a dialect that comes in no hooks. */
  fields?: HookFields;
  /** Absent where `mesh install` has nothing to write into. */
  install?: Install;
}

/** What the doors need to know of the JSON of a hook. */
export interface HookFields {
  /** The field that names the event. */
  name: string;
  /** Fields that may be of any size, in each spelling. When a hook is too large, the first of them is left out first. */
  large: readonly (readonly string[])[];
  /** Short and telling fields: these stay when everything else has to go. */
  telling: readonly string[];
}

/** What hooks look like in the settings of a runtime. Files are read and written by the client. */
export interface Install {
  /** The names of the settings file and of its folders, below `home` unless they begin at the root. */
  settingsFile(env: Environment): string[];
  /** What the settings must become. A shape that the runtime itself would not understand is refused. */
  settings(current: unknown, wish: InstallWish): InstallPlan | { problem: Problem };
  /** A hook for people to try an installation with. */
  example: Record<string, unknown>;
  /** What gets lost when the runtime posts hooks itself. */
  httpNotes: readonly string[];
}

export interface InstallWish {
  form: 'command' | 'http';
  /** A command line that takes the JSON of the hook on standard input. */
  command: string;
  /** Where the runtime may post it by itself. */
  url: string;
  /** Whether that asks for a token. */
  hasToken: boolean;
  /** Report what succeeds too. */
  successes: boolean;
}

export interface InstallPlan {
  /** Empty when the settings are as they are to be. */
  edits: SettingsEdit[];
  /** The events whose hooks change. */
  changed: string[];
  warnings: string[];
}

export interface SettingsEdit {
  path: string[];
  value: unknown;
}
