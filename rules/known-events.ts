import { isAgentEnd } from './guards/agent-end.js';

/** Others are allowed, since runtimes grow, but `check` asks about them. */
export function isKnownEvent(event: string): boolean {
  return (KNOWN_EVENTS as readonly string[]).includes(event) || isAgentEnd({ event });
}

/** Event names that agent runtimes are known to send, besides those by which run coordinators tell of ends. */
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
