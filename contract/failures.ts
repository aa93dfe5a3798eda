// The failure types people meet in the Temporal UI and retry policies match on. Renaming one is a breaking change.

export const FAILURES = {
  'remediation-failed': 'A remediation ended with at least one failed action; the result is in the failure details.',
  'notice-failed': 'A message of the mesh itself did not reach everyone; the result is in the failure details.',
  'release-failed': 'Capacity could not be given back at the end of its lease.',
  'no-launcher': 'No agent is configured for the type a rule asks for, nor a default one. Not retried.',
  'launch-failed': 'The launcher could not start the agent, or declined to. Not retried when trying again cannot help.',
  'agent-failed': 'The fallback agent ran and ended with a non-zero exit code or a signal.',
  timeout: 'The fallback agent took longer than its time limit and was ended.',
  'worker-stopped': 'The worker that ran it was stopped, and could not wait for its end.',
  'delivery-refused':
    'A receiver refused a message for good (SMTP 5xx, HTTP 4xx), there was no time or attempt left, or several attempts may have arrived already. Not retried.',
  'delivery-failed':
    'The receiver of a message could not be reached, took too long, or asked to try later; or others were in the way, and nothing was tried.',
  'bridge-refused': 'The capacity bridge refused the request for good (4xx). Not retried.',
  'bridge-failed': 'The capacity bridge could not be reached, or answered with an error that may pass.',
  'config-unavailable': 'The mesh configuration file cannot be read and there is no earlier good version.',
  'rules-unavailable': 'The rules file cannot be read and there is no earlier good version; events are held.',
  aborted: 'The remediation was aborted while no worker was there, before this attempt had begun. Not retried.',
  'action-error': 'An unexpected error inside an action.',
} as const;

export type FailureType = keyof typeof FAILURES;
