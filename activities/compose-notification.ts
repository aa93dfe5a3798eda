import type { MeshConfig, Team } from '../config/mesh-config.js';
import type { ActionActivities, ActionRequest, NotificationMessage, Recipient } from '../contract/activities.js';
import type { NotifyPlan } from '../contract/remediation.js';
import { defaultMessage, defaultSummary } from '../rules/default-texts.js';
import { readField } from '../rules/read-field.js';
import { renderTemplate } from '../rules/template.js';
import type { World } from './index.js';
import { loadConfig } from './load-config.js';

type ComposeWorld = Pick<World, 'config' | 'temporalUi' | 'temporal'>;

/** Finds out who is to be told, and writes the message once, so that every recipient gets the same. */
export function makeComposeNotification(world: ComposeWorld): ActionActivities['composeNotification'] {
  return async (request) => {
    const config = await loadConfig(world.config);
    const { plan, remediation } = request;
    const teamName = plan.teamName ?? readField(remediation.event.payload, 'team') ?? config.notify.defaultTeam;
    if (teamName === undefined) {
      return { status: 'skipped', reason: 'No team context is available for notify_team action' };
    }
    const team = Object.hasOwn(config.teams, teamName) ? config.teams[teamName] : undefined;
    if (!team) return { status: 'skipped', reason: `Team file not found for team ${teamName}` };

    const { recipients, note } = chooseRecipients(team, plan.recipients, remediation.event.agent);
    if (recipients.length === 0) {
      return { status: 'skipped', reason: 'No eligible recipients for notify_team action' };
    }
    return { status: 'ready', message: write(request, config, world), recipients, ...(note !== undefined && { note }) };
  };
}

/** Addresses come from the configuration only; a rule or an event may choose among names, and never add one. */
function chooseRecipients(
  team: Team,
  wanted: string[] | undefined,
  sender: string | undefined,
): { recipients: Recipient[]; note?: string } {
  const everyone = !wanted?.length || wanted.includes('*');
  const chosen = team.members.filter(({ name }) => (everyone ? name !== sender : wanted.includes(name)));
  const recipients = chosen.flatMap(({ name, email }) => (email === undefined ? [] : [{ name, address: email }]));

  const unknown = everyone ? [] : wanted.filter((name) => !team.members.some((member) => member.name === name));
  const unreachable = chosen.filter(({ email }) => email === undefined).map(({ name }) => name);
  const notes = [
    unknown.length > 0 ? `not in the team: ${[...new Set(unknown)].join(', ')}` : '',
    unreachable.length > 0 ? `without an address: ${unreachable.join(', ')}` : '',
  ].filter((note) => note !== '');
  return { recipients, ...(notes.length > 0 && { note: notes.join('; ') }) };
}

function write(
  { plan, remediation, soFar }: ActionRequest<NotifyPlan>,
  config: MeshConfig,
  world: ComposeWorld,
): NotificationMessage {
  const { rule, event, id, actions } = remediation;
  const render = (template: string | undefined, fallback: () => string) =>
    template === undefined ? fallback() : renderTemplate(template, rule, event);

  const before = actions.slice(
    0,
    actions.findIndex(({ name }) => name === plan.name),
  );
  const did = before.map(({ name, type }) => {
    const result = soFar.find(({ action }) => action === name);
    const state = result ? [result.status, result.reason].filter(Boolean).join(': ') : 'still running';
    return `- ${name === type ? name : `${name} (${type})`}: ${state}`;
  });
  const link = runLink(config.temporalUi ?? world.temporalUi, world.temporal.namespace, id);
  return {
    subject: render(plan.summary, () => defaultSummary(rule, event)),
    text: [
      render(plan.messageTemplate, () => defaultMessage(rule, event)),
      '',
      '--',
      ...(did.length > 0 ? ['What the mesh did before this message:', ...did, ''] : []),
      ...(link === undefined ? [`Run: ${id}`] : [`Run: ${link}`]),
      `Abort it: ${abortCommand(world.temporal, id)}`,
    ].join('\n'),
  };
}

function runLink(ui: string | undefined, namespace: string, workflowId: string): string | undefined {
  if (ui === undefined) return undefined;
  return `${ui.replace(/\/$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}

/** Ready to paste: the id is quoted, and a quote in it, which only a rule's id could bring in, is closed and escaped. */
function abortCommand({ address, namespace }: World['temporal'], workflowId: string): string {
  const quoted = `'${workflowId.replaceAll("'", `'\\''`)}'`;
  return `temporal workflow cancel --address ${address} --namespace ${namespace} --workflow-id ${quoted}`;
}
