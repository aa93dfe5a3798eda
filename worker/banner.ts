import { join } from 'node:path';
import type { ConnectionSettings } from '#client/connection.js';
import type { RulesetAnswer } from '#config/ruleset-store.js';
import { reach } from '#contract/text/shell-word.js';
import type { Settings } from '#contract/settings.js';
import type { DevServer } from './dev-server.js';
import { firstSteps } from './first-steps.js';

export interface Started {
  settings: Settings;
  connection: ConnectionSettings;
  server: DevServer | undefined;
  temporalUi: string | undefined;
  rules: RulesetAnswer;
  /** Where the gateway is, and whom it serves. */
  gateway: string;
}

/** What a newcomer needs to know, in under fifteen lines. */
export function printBanner({ settings, connection, server, temporalUi, rules, gateway }: Started): void {
  const lines: [string, string][] = [
    ['Gateway', gateway],
    ['Temporal', describeServer(connection, server)],
    [
      'State',
      server ? `${join(settings.home, 'temporal.db')} (cooldowns and histories survive a restart)` : 'on that server',
    ],
    ['Rules', describeRules(settings, rules)],
    [
      'Mails',
      settings.smtpUrl === undefined
        ? `files in ${join(settings.home, 'mail')}/ (MESH_SMTP_URL is not set)`
        : 'over SMTP',
    ],
    ['Logs', `${join(settings.home, 'worker.log')}, gateway.log`],
  ];
  if (server) lines.splice(2, 0, ['Temporal CLI', server.binary]);
  if (temporalUi !== undefined) lines.unshift(['Temporal UI', temporalUi]);
  const text = [
    'remediation-mesh is running.',
    '',
    ...lines.map(([name, value]) => `  ${name.padEnd(12)} ${value}`),
    '',
    // A second terminal does not know of another server than the usual one.
    ...firstSteps(rules, reach({ ...connection, ...(server && { address: server.address }) }), Date.now()),
    'Ctrl-C stops everything; the next start goes on where this one stopped.',
  ];
  process.stdout.write(`${text.join('\n')}\n`);
}

function describeServer(connection: ConnectionSettings, server: DevServer | undefined): string {
  if (!server) return `${connection.address}, namespace ${connection.namespace}`;
  return `${server.address} (${server.isFresh ? 'dev server, started here' : 'dev server that was still running here'})`;
}

function describeRules(settings: Settings, rules: RulesetAnswer): string {
  if (!rules.available) return `${settings.rules} cannot be used, events are held until it is mended (see above)`;
  const ids = rules.ruleset.rules.map(({ id, enabled, mode }) => {
    if (!enabled) return `${id} (disabled)`;
    return mode === 'enforce' ? id : `${id} (${mode})`;
  });
  return `${rules.source}: ${ids.join(', ') || 'no rules'}`;
}
