import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Argument, type Command } from 'commander';
import { type Environment, readSettings } from '#contract/settings.js';
import { CliError } from './cli-error.js';
import { targetOf, tokenIn } from './hook/hook-options.js';
import { eventsToInstall, type HookEntry, withHookEntries } from './install/hook-entries.js';
import { commandHook, commandLine, type HookForm, httpHook, meshCommandFile } from './install/hook-forms.js';
import { replaceKey } from './install/replace-key.js';
import { readSettingsFile, type SettingsFile, writeSettingsFile } from './install/settings-file.js';
import { print } from './print.js';
import { tenantFrom } from './tenant-option.js';
import { shellWord } from './terminal/shell-word.js';

interface InstallOptions {
  settings?: string;
  gateway?: string;
  tenant?: string;
  http?: boolean;
  successes?: boolean;
  print?: boolean;
}

export function addInstallCommand(program: Command): void {
  program
    .command('install')
    .description('write hooks that report to the mesh into the settings of a runtime')
    .addArgument(new Argument('<runtime>', 'the runtime').choices(['claude-code']))
    .option('--settings <file>', 'settings file (default: ~/.claude/settings.json, for all projects of this user)')
    .option('--gateway <url>', 'gateway to report to, or off (default: MESH_GATEWAY_URL, or the local one)')
    .option('--tenant <name>', 'tenant of the events (default: that of the token, or MESH_TENANT of the agent)')
    .option('--http', 'hooks of the type http, which post to the gateway without a command')
    .option(
      '--successes',
      'report each tool call that succeeds too: what alerts with resolveOn: [tool] are resolved by',
    )
    .option('--print', 'print what would be written, and change nothing')
    .action((_runtime: string, options: InstallOptions) => install(options, process.env));
}

async function install(options: InstallOptions, env: Environment): Promise<void> {
  const path = resolve(
    options.settings ?? join(env['CLAUDE_CONFIG_DIR'] || join(homedir(), '.claude'), 'settings.json'),
  );
  const form = formFrom(options, env);
  const entryFor = (event?: string) => (options.http ? httpHook(form) : commandHook(form, event));
  const file = await readSettingsFile(path);
  const events = eventsToInstall(file.value, options);
  const { hooks, changed } = withHookEntries(file.value, entryFor, path, events);
  const text = changed.length === 0 ? (file.text ?? '') : textWith(file, hooks);

  const done = options.print ? [text.trimEnd()] : await write(file, text, changed);
  const after = options.print ? [] : howToGoOn(entryFor(), form);
  print([...done, ...after, ...warnings(file.value), ...otherForm(form, options, events)].join('\n'));
}

function formFrom(options: InstallOptions, env: Environment): HookForm {
  const { settings } = readSettings(env);
  const gateway = targetOf(options.gateway, settings);
  if (gateway !== undefined && !/^https?:\/\/[^/\s]/.test(gateway.url)) {
    throw new CliError(
      `--gateway: expected an address such as ${'https://mesh.example.com'}, or off, found ${gateway.url}`,
    );
  }
  if (options.http && options.tenant !== undefined) {
    throw new CliError('--tenant goes with a command only: of hooks of the type http, the tenant is that of the token');
  }
  if (options.http && gateway === undefined) throw new CliError('--http needs a gateway, and there is to be none');
  const tenant = options.tenant === undefined ? undefined : tenantFrom(options, env);
  return { settings, gateway, tenant, hasToken: (settings.token ?? tokenIn(settings.home, [])) !== undefined };
}

function textWith({ text, value }: SettingsFile, hooks: Record<string, unknown>): string {
  const isEmpty = text === undefined || Object.keys(value as object).length === 0;
  return isEmpty ? `${JSON.stringify({ hooks }, null, 2)}\n` : replaceKey(text, 'hooks', hooks);
}

async function write(file: SettingsFile, text: string, changed: string[]): Promise<string[]> {
  const { path } = file;
  if (changed.length === 0) return [`${path} has these hooks already; nothing was changed.`];
  const backup = await writeSettingsFile(file, text);
  const undo = backup === undefined ? `rm ${shellWord(path)}` : `cp ${shellWord(backup)} ${shellWord(path)}`;
  return [`${path} has hooks for ${changed.join(', ')} now.`, `Undo: ${undo}`];
}

function howToGoOn(entry: HookEntry, form: HookForm): string[] {
  const home = resolve(form.settings.home);
  if (entry.type === 'http') {
    return [
      'They begin with the next session. See what comes of it: npx mesh status',
      'What the gateway does not take at once is lost, and with `claude -p` StopFailure never arrives: the command form',
      'has a spool, and insists.',
    ];
  }
  const example = { hook_event_name: 'PostToolUseFailure', session_id: 'try', tool_name: 'Bash', error: 'timeout' };
  return [
    'They begin with the next session. Try it without one:',
    `  echo ${shellWord(JSON.stringify(example))} | ${commandLine(form, shellWord)} --verbose`,
    'See what comes of it: npx mesh status',
    `What cannot be delivered waits in ${join(home, 'spool')} (npx mesh spool); problems are in ${join(home, 'hook.log')}.`,
    ...(meshCommandFile().includes(`${join('_npx', '')}`)
      ? ['This mesh is in a cache of npx, which may go away: install the package, and run this again.']
      : []),
  ];
}

function warnings(settings: unknown): string[] {
  const { disableAllHooks } = settings as { disableAllHooks?: unknown };
  return disableAllHooks === true ? ['Warning: disableAllHooks is set in this file, so no hook runs.'] : [];
}

function otherForm(form: HookForm, { http, print: isPrint }: InstallOptions, installed: string[]): string[] {
  if (http || form.gateway === undefined) return [];
  const events = Object.fromEntries(installed.map((event) => [event, [{ hooks: [httpHook(form)] }]]));
  const shown = isPrint ? JSON.stringify({ hooks: events }, null, 2) : JSON.stringify({ hooks: [httpHook(form)] });
  return ['', 'The form that posts to the gateway without a command (--http writes it; it has no spool):', shown];
}
