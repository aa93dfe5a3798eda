import { isAgentEnd } from './guards/agent-end.js';
import { plainName } from './guards/plain-name.js';

/**
 * Whether a runtime is known to send it: `check` asks about other names, which are allowed, since runtimes grow. Of the ends of
 * runs any spelling is known, of the others the one below, since a trigger matches no other.
 */
export function isKnownEvent(event: string): boolean {
  if ((KNOWN_EVENTS as readonly string[]).includes(event)) return true;
  return isAgentEnd({ event }) && !PLAIN_NAMES.has(plainName(event));
}

/** Event names that agent runtimes are known to send. */
export const KNOWN_EVENTS = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Notification',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'PermissionRequest',
  'PermissionDenied',
  'Setup',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeCreate',
  'WorktreeRemove',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
] as const;

const PLAIN_NAMES = new Set(KNOWN_EVENTS.map(plainName));
