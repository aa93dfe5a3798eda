import { sha256 } from '#contract/hash.js';

/** A session id for an agent, the same for the same key. It looks like a random UUID, since most programs take nothing else. */
export function agentSession(key: string): string {
  const hex = sha256(`agent session ${key}`);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}
