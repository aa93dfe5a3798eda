// The failure types people meet in the Temporal UI and retry policies match on. Renaming one is a breaking change.

export const FAILURES = {
  'remediation-failed': 'A remediation ended with at least one failed action; the result is in the failure details.',
  'no-launcher': 'No agent is configured for the type a rule asks for, nor a default one. Not retried.',
  'launch-failed': 'The launcher could not start the agent (command not found, not executable). Not retried.',
  'agent-failed': 'The fallback agent ran and ended with a non-zero exit code or a signal.',
  timeout: 'The fallback agent took longer than its time limit and was ended.',
  'mail-refused': 'The mail server refused the message for good (5xx). Not retried.',
  'mail-failed': 'The mail server could not be reached or asked to try later.',
  'bridge-refused': 'The capacity bridge refused the request for good (4xx). Not retried.',
  'bridge-failed': 'The capacity bridge could not be reached, or answered with an error that may pass.',
  'config-unavailable': 'The mesh configuration file cannot be read and there is no earlier good version.',
  'rules-unavailable': 'The rules file cannot be read and there is no earlier good version; events are held.',
  'action-error': 'An unexpected error inside an action.',
} as const;

export type FailureType = keyof typeof FAILURES;
