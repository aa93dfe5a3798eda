import { code, codeBlock, utc } from '../contract/markdown.js';
import type { RemediationInput } from '../contract/remediation.js';
import { readField } from '../rules/read-field.js';

const MAX_SUMMARY_BYTES = 200;
const MAX_ERROR_CHARS = 2_000;
const MAX_PAYLOAD_CHARS = 4_000;

/** One line for lists in the Temporal UI: rule, event, target. Names only, never event text. */
export function summariseRemediation({ rule, event, actions }: RemediationInput): string {
  const targets = actions.map(({ type }) => type).join(', ');
  const line = `${rule}: ${event.event} ${event.outcome} → ${targets}`;
  return Buffer.from(line).length <= MAX_SUMMARY_BYTES ? line : `${line.slice(0, 60)}…`;
}

/** What happened, in Markdown, above the run in the Temporal UI. */
export function describeRemediation({ rule, rulesetHash, firedAt, event, actions }: RemediationInput): string {
  const error = readField(event.payload, 'error');
  const tool = readField(event.payload, 'tool');
  const facts: [string, string | undefined][] = [
    ['Rule', `${code(rule)} (version ${code(rulesetHash)}), fired ${utc(firedAt)}`],
    ['Event', `${code(event.event)} with outcome ${code(event.outcome)}, id ${code(event.id)}`],
    ['Tool', tool && code(tool.slice(0, 100))],
    ['Session', event.session && code(event.session)],
    ['Reported by', event.source && code(event.source)],
    ['Chain', `depth ${event.depth}${event.lineage ? `, started by event ${code(event.lineage.root)}` : ''}`],
    ['Caused by', event.lineage?.parent && code(event.lineage.parent)],
    ['Actions', actions.map(({ name }) => code(name)).join(', then ')],
  ];
  const lines = facts.flatMap(([name, value]) => (value ? [`- **${name}:** ${value}`] : []));
  return [
    lines.join('\n'),
    error === undefined ? '' : `**Error**\n\n${codeBlock(error, MAX_ERROR_CHARS)}`,
    `**Payload**\n\n${codeBlock(JSON.stringify(event.payload, null, 2), MAX_PAYLOAD_CHARS)}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
