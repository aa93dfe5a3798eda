import type { NotificationMessage } from '#contract/notification.js';
import { meshCommand, reach, shellWord, tenantOptions } from '#contract/text/shell-word.js';
import type { World } from '#activities/world.js';
import { joinLines } from '#contract/text/plain-text.js';

type Commands = NotificationMessage['commands'];
type Server = World['temporal'];

/** What one may want to do about a remediation, ready to paste. `abortNote` says what an abort would end. */
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

/** What a command is for, in one line. */
export function tellCommand({ what, note }: Commands[number]): string {
  return joinLines(note === undefined ? what : `${what} (${note})`);
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
