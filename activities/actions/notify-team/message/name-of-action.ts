import { joinLines } from '#contract/text/plain-text.js';

/** An action without a name of its own goes by its type and place. */
export function nameOfAction({ action, type }: { action: string; type: string }): string {
  return joinLines(action.startsWith(type) ? action : `${action} (${type})`);
}
