import { DEFAULT_TENANT } from '../names.js';
import { visible } from './plain-text.js';
import { SETTINGS } from '../settings.js';

/** A word that a shell takes as it is, for commands that people copy. Rule ids are free text. */
export function shellWord(text: string): string {
  const shown = visible(text);
  return /^[\w@%+:,./][\w@%+:,./=~-]*$/.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
}

/** A `mesh` command line that people copy. */
export function meshCommand(command: string, words: string[] = [], options: string[] = []): string {
  // A word that begins with a dash would be taken for an option.
  const separator = words.some((word) => word.startsWith('-')) ? ['--'] : [];
  return ['npx mesh', command, ...options, ...separator, ...words.map(shellWord)].join(' ');
}

/** The option that copied commands need to reach the same tenant. */
export function tenantOptions(tenant: string): string[] {
  return tenant === DEFAULT_TENANT ? [] : ['--tenant', tenant];
}

/** What to write before a command so that it reaches this server: nothing for the one that commands use anyway. */
export function reach({ address, namespace }: { address: string; namespace: string }): string {
  const variables = [
    ...(LOCAL.test(address) ? [] : [`TEMPORAL_ADDRESS=${shellWord(address)} `]),
    ...(namespace === DEFAULT_NAMESPACE ? [] : [`TEMPORAL_NAMESPACE=${shellWord(namespace)} `]),
  ];
  return variables.join('');
}

const LOCAL = new RegExp(`^(127\\.0\\.0\\.1|localhost):${SETTINGS.MESH_TEMPORAL_PORT.default}$`);
const DEFAULT_NAMESPACE = 'default';
