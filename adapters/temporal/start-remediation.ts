import { type Client, WorkflowExecutionAlreadyStartedError, type WorkflowStartOptions } from '@temporalio/client';
import { WORKFLOW_TYPES } from '#contract/names.js';
import type { RemediationInput } from '#contract/remediation.js';
import { factsOf } from '#contract/facts.js';
import type { Workflows } from './workflows.js';
import { permanentRefusal } from './permanent-refusal.js';
import { searchAttributePairs, type SearchAttributeValues } from './search-attributes.js';
import { code, codeBlock, codeLine, utc } from '#contract/text/markdown.js';
import { summaryOf } from '#contract/text/shorten.js';
import type { MeshEvent } from '#contract/event.js';
import { quietOf } from '#contract/story.js';
import type { QuietWindow } from '#contract/views/story.js';

/** The id decides: a remediation that exists already, running or done, is left as it is. */
export function makeStartRemediation(client: Client, taskQueue: string): Workflows['startRemediation'] {
  return async (plan) => {
    try {
      await client.workflow.start(WORKFLOW_TYPES.remediate, {
        ...remediationStart(plan, taskQueue),
        requestEagerStart: true,
      });
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return { remediation: plan.id };
      const refusal = permanentRefusal(error);
      if (refusal === undefined) throw error;
      return { error: refusal };
    }
    return { remediation: plan.id };
  };
}

/** How a remediation is started, by whomever. */
export function remediationStart(plan: RemediationInput, taskQueue: string) {
  return {
    workflowId: plan.id,
    taskQueue,
    args: [plan],
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    staticSummary: summariseRemediation(plan),
    staticDetails: describeRemediation(plan),
    typedSearchAttributes: searchAttributePairs(searchAttributesOf(plan)),
  } satisfies WorkflowStartOptions;
}

/** Search attributes are stored in clear, so only names go in, and a name that looks like a text stays out. */
const PLAIN_NAME = /^[\w.:@/+=~-]{1,200}$/;

function searchAttributesOf({ event, rule }: RemediationInput): SearchAttributeValues {
  return {
    MeshTenant: event.tenant,
    MeshRule: rule.slice(0, 200),
    MeshEvent: event.event,
    MeshTool: plainName(factsOf(event).tool),
    MeshSession: plainName(event.session),
    MeshOutcome: 'running',
    MeshSource: plainName(event.source),
    MeshDepth: event.depth,
  };
}

function plainName(text: string | undefined): string | undefined {
  return text !== undefined && PLAIN_NAME.test(text) ? text : undefined;
}

// The server takes details of 20,000 bytes, and refuses the whole remediation for one more. A character may take three.
const MAX_ERROR_CHARS = 1_500;
const MAX_PAYLOAD_CHARS = 3_000;
const MAX_DETAILS_BYTES = 19_000;
const MAX_NAME_CHARS = 60;
const SHOWN_NAMES = 10;

/** Most servers take 400 bytes, the strictest 200. */
const MAX_SUMMARY_BYTES = 190;

/** One line for lists in the Temporal UI: rule, event, target. Names only, never event text. */
function summariseRemediation({ rule, event, actions, isTry }: RemediationInput): string {
  const targets = actions.map(({ type }) => type).join(', ');
  const line = `${isTry ? 'try of ' : ''}${rule}: ${event.event} ${event.outcome} → ${targets}`;
  return Buffer.byteLength(line) <= MAX_SUMMARY_BYTES ? line : summaryOf(line);
}

/** What happened, in Markdown, above the run in the Temporal UI. */
export function describeRemediation(remediation: RemediationInput): string {
  const full = describe(remediation, MAX_PAYLOAD_CHARS, MAX_ERROR_CHARS);
  if (Buffer.byteLength(JSON.stringify(full)) <= MAX_DETAILS_BYTES) return full;
  return describe(remediation, 0, 100);
}

function describe(remediation: RemediationInput, payloadChars: number, errorChars: number): string {
  const { rule, rulesetHash, firedAt, event, actions, path = [], isTry } = remediation;
  const cooldown = quietOf(remediation).find(({ by }) => by === 'cooldown');
  const { error, tool, taskSubject, taskId } = factsOf(event);
  const task = taskSubject ?? taskId;
  const facts: [string, string | undefined][] = [
    ['Try', isTry && 'started by hand with `mesh try`, past the guards, which know nothing of it'],
    ['Rule', `${codeLine(rule, MAX_NAME_CHARS)} (version ${code(rulesetHash)}), fired ${utc(firedAt)}`],
    ['Event', `${code(event.event)} with outcome ${code(event.outcome)}, id ${code(event.id)}`],
    ['Tool', tool && codeLine(tool, MAX_NAME_CHARS)],
    ['Task', task && codeLine(task, MAX_NAME_CHARS)],
    ['Session', event.session && code(event.session)],
    ['Reported by', event.source && code(event.source)],
    ['Request', event.requestId && code(event.requestId)],
    ['Chain', describeChain(event, path)],
    ['Caused by', event.lineage?.parent && code(event.lineage.parent.slice(0, 300))],
    [
      'Actions',
      describeNames(
        actions.map(({ name }) => name),
        ', then ',
      ),
    ],
    ['Quiet', cooldown && describeCooldown(cooldown)],
  ];
  const lines = facts.flatMap(([name, value]) => (value ? [`- **${name}:** ${value}`] : []));
  return [
    lines.join('\n'),
    error === undefined ? '' : `**Error**\n\n${codeBlock(error, errorChars)}`,
    payloadChars === 0 || Object.keys(event.payload).length === 0
      ? ''
      : `**Payload**\n\n${codeBlock(JSON.stringify(event.payload, null, 2), payloadChars)}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function describeChain({ depth, lineage }: MeshEvent, path: string[]): string | undefined {
  if (depth === 0) return undefined;
  const root = lineage?.root === undefined ? '' : `, started by event ${code(lineage.root)}`;
  return `depth ${depth}${root}${path.length === 0 ? '' : `, by way of ${describeNames(path, ' → ')}`}`;
}

function describeCooldown({ untilAt, label }: QuietWindow): string {
  return `the rule does not fire again${label === undefined ? '' : ` for ${codeLine(label, MAX_NAME_CHARS)}`} before ${utc(untilAt)}`;
}

function describeNames(names: string[], separator: string): string {
  const shown = names.slice(0, SHOWN_NAMES).map((name) => codeLine(name, MAX_NAME_CHARS));
  return [...shown, ...(names.length > SHOWN_NAMES ? [`${names.length - SHOWN_NAMES} more`] : [])].join(separator);
}
