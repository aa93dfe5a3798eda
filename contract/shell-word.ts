import { DEFAULT_TENANT } from './names.js';
import { visible } from './plain-text.js';

/** A word that a shell takes as it is, for commands that people copy. Rule ids are free text. */
export function shellWord(text: string): string {
  const shown = visible(text);
  return /^[\w@%+:,./][\w@%+:,./=~-]*$/.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
}

/** A `mesh` command line that people copy. */
export function meshCommand(command: string, words: string[] = [], options: string[] = []): string {
  // A word that begins like an option would be taken for one.
  const separator = words.some((word) => word.startsWith('-')) ? ['--'] : [];
  return ['npx mesh', command, ...options, ...separator, ...words.map(shellWord)].join(' ');
}

/** What copied commands need to reach the same tenant. */
export function tenantOptions(tenant: string): string[] {
  return tenant === DEFAULT_TENANT ? [] : ['--tenant', tenant];
}
