import type { MeshConfig } from '#config/mesh-config.js';
import type { NotificationMessage } from '#contract/notification.js';
import { meshCommand, reach, shellWord, tenantOptions } from '#contract/text/shell-word.js';
import type { World } from '#activities/world.js';

// What people can do from a message: commands ready to paste, and the page of a workflow.

type Commands = NotificationMessage['commands'];
export type LinkWorld = Pick<World, 'temporalUi' | 'temporal'>;
type Server = World['temporal'];

/** What one may want to do about a remediation. `abortNote` says what an abort would end. */
export function commandsOfRun(id: string, rule: string, tenant: string, server: Server, abortNote?: string): Commands {
  const at = reach(server);
  return [
    { what: 'See how it stands', command: at + meshCommand('show', [id]) },
    { what: 'Retry what failed, once it has ended', command: at + meshCommand('retry', [id]) },
    { what: 'Let the rule fire again now', command: at + meshCommand('rearm', [rule], tenantOptions(tenant)) },
    {
      what: 'Abort it',
      command: at + meshCommand('abort', [id]),
      ...(abortNote !== undefined && { note: abortNote }),
      ends: true,
    },
  ];
}

/** What one may want to look at when a rule kept quiet. */
export function commandsOfRule(rule: string, tenant: string, server: Server): Commands {
  const at = reach(server);
  const ofRule = ['--rule', shellWord(rule), ...tenantOptions(tenant)];
  return [
    { what: 'See what the mesh judged lately', command: at + meshCommand('status', [], tenantOptions(tenant)) },
    { what: 'See what this rule did', command: at + meshCommand('runs', [], ofRule) },
  ];
}

/** The page of a workflow in the Temporal UI, when it is known where people reach that. */
export function runLinks(
  workflowId: string,
  { temporalUi }: MeshConfig,
  world: LinkWorld,
  text = 'Open the run',
): NotificationMessage['links'] {
  const ui = temporalUi ?? world.temporalUi;
  if (ui === undefined) return [];
  const path = ['namespaces', world.temporal.namespace, 'workflows', workflowId].map(encodeURIComponent).join('/');
  return [{ text, url: `${ui.replace(/\/+$/, '')}/${path}` }];
}
