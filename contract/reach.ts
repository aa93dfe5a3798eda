import { shellWord } from './shell-word.js';

/** What to write before a command so that it reaches this server: nothing for the one that commands use anyway. */
export function reach({ address, namespace }: { address: string; namespace: string }): string {
  const variables = [
    ...(LOCAL.test(address) ? [] : [`TEMPORAL_ADDRESS=${shellWord(address)} `]),
    ...(namespace === DEFAULT_NAMESPACE ? [] : [`TEMPORAL_NAMESPACE=${shellWord(namespace)} `]),
  ];
  return variables.join('');
}

const LOCAL = /^(127\.0\.0\.1|localhost):7233$/;
const DEFAULT_NAMESPACE = 'default';
