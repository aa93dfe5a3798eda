import { join } from 'node:path';
import type { ConnectionSettings } from '#client/connection.js';
import type { RulesetAnswer } from '#config/ruleset-store.js';
import type { MeshConfig } from '#config/mesh-config.js';
import type { Current } from '#config/read-through.js';
import type { MeshEvent } from '#contract/event.js';
import { DEFAULT_TENANT } from '#contract/names.js';
import type { Settings } from '#contract/settings.js';
import { isSmtpUrl } from '#contract/text/smtp-url.js';
import { reach, shellWord } from '#contract/text/shell-word.js';
import { simulate } from '#rules/simulate.js';
import type { DevServer } from './dev/dev-server.js';
import { mailFolder } from './make-world.js';

export interface Started {
  settings: Settings;
  connection: ConnectionSettings;
  server: DevServer | undefined;
  temporalUi: string | undefined;
  rules: RulesetAnswer;
  config: Current<MeshConfig>;
  /** Where the gateway is, and whom it serves. */
  gateway: string;
}

/** What a newcomer needs to know, in under fifteen lines. */
export function printBanner({ settings, connection, server, temporalUi, rules, config, gateway }: Started): void {
  const lines: [string, string][] = [
    ['Gateway', gateway],
    ['Temporal', describeServer(connection, server)],
    [
      'State',
      server ? `${join(settings.home, 'temporal.db')} (cooldowns and histories survive a restart)` : 'on that server',
    ],
    ['Rules', describeRules(settings, rules)],
    ['Mails', describeMails(settings, config)],
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
  return `${server.address} (dev server, started here)`;
}

function describeMails(settings: Settings, config: Current<MeshConfig>): string {
  const { config: file } = settings;
  if (!config.available) return `wait until ${file} is mended (see above)`;
  const { smtp, fromAddress } = config.value.notify;
  if (smtp === undefined) return `files in ${mailFolder(settings)}/ (no notify.smtp in ${file})`;
  return `from ${fromAddress} through ${isSmtpUrl(smtp) ? new URL(smtp).host : smtp}`;
}

function describeRules(settings: Settings, rules: RulesetAnswer): string {
  if (!rules.available) return `${settings.rules} cannot be used, events are held until it is mended (see above)`;
  const ids = rules.ruleset.rules.map(({ id, enabled, mode }) => {
    if (!enabled) return `${id} (disabled)`;
    return mode === 'enforce' ? id : `${id} (${mode})`;
  });
  return `${rules.source}: ${ids.join(', ') || 'no rules'}`;
}

/** What to type first, `reach` before it: an event that fires with the rules in use, or how to find one. */
export function firstSteps(rules: RulesetAnswer, reach: string, now: number): string[] {
  // What is wrong with them was said, and comes first.
  if (!rules.available) return [];
  const [verdicts = []] = simulate(rules, [{ atMs: now, event: eventAt(now) }]);
  if (verdicts.some(({ verdict }) => verdict === 'fire')) {
    return [
      'Make a rule fire, from a second terminal in this folder:',
      `  ${reach}npx mesh send --event ${EVENT} --outcome failed --payload '${JSON.stringify(PAYLOAD)}'`,
    ];
  }
  return [
    'See what the rules do with an event, from a second terminal in this folder:',
    `  npx mesh simulate --explain --rules ${shellWord(rules.source)} --events <file>`,
  ];
}

const EVENT = 'PostToolUseFailure';
const PAYLOAD = { tool_name: 'Bash', error: 'timeout' };

function eventAt(now: number): MeshEvent {
  const said = { event: EVENT, outcome: 'failed' as const, payload: PAYLOAD };
  return { ...said, id: 'first', tenant: DEFAULT_TENANT, depth: 0, occurredAt: now };
}
