import { SETTINGS } from './settings.js';
import { shellWord } from './shell-word.js';

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
