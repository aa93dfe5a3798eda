import { remediationId } from '#contract/ids.js';

/** The server takes quotes, backslashes and control characters, escaped, and then looks for the escaped text. */
export function isPlain(text: string): boolean {
  return !/['"\\\p{Cc}]/u.test(text);
}

/** For what is plain, and for workflow ids, which hold no other of those characters than single quotes, and only inside. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Rule ids are free text. One that a query cannot name is still in the workflow id, percent-encoded. */
export function ruleTerm(tenant: string, rule: string): string {
  if (isPlain(rule)) return `MeshRule = ${quoted(rule.slice(0, 200))}`;
  return `WorkflowId STARTS_WITH ${quoted(remediationId(tenant, rule, ''))}`;
}
