import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createRequire } from 'node:module';
import { Argument, type Command } from 'commander';
import { formatProblem } from '#contract/text/problem.js';
import { type Environment, readSettings, type Settings } from '#contract/settings.js';
import type { Install, InstallPlan, InstallWish } from '#rules/dialects/dialect.js';
import { INSTALLS } from '#rules/dialects/index.js';
import { CliError } from './cli-error.js';
import { type GatewayTarget, targetOf, tokenIn } from './hook/hook-options.js';
import {
  editSettings,
  readSettingsFile,
  type SettingsFile,
  UNCHANGED,
  writeSettingsFile,
} from './install/settings-file.js';
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
    .addArgument(new Argument('<runtime>', 'the runtime').choices([...INSTALLS.keys()]))
    .option('--settings <file>', 'settings file (default: ~/.claude/settings.json, for all projects of this user)')
    .option('--gateway <url>', 'gateway to report to, or off (default: MESH_GATEWAY_URL, or the local one)')
    .option('--tenant <name>', 'tenant of the events (default: that of the token, or MESH_TENANT of the agent)')
    .option('--http', 'hooks of the type http, which post to the gateway without a command')
    .option(
      '--successes',
      'report each tool call that succeeds too: what alerts with resolveOn: [tool] are resolved by',
    )
    .option('--print', 'print what would be written, and change nothing')
    .action(async (runtime: string, options: InstallOptions) => {
      const dialect = INSTALLS.get(runtime);
      if (dialect) await install(runtime, dialect, options, process.env);
    });
}

async function install(name: string, dialect: Install, options: InstallOptions, env: Environment): Promise<void> {
  const form = formFrom(name, options, env);
  const file = await readSettingsFile(resolve(options.settings ?? resolve(homedir(), ...dialect.settingsFile(env))));
  const wish: InstallWish = {
    form: options.http ? 'http' : 'command',
    command: hookCommandLine(form),
    url: hookUrl(form),
    hasToken: form.hasToken,
    successes: options.successes ?? false,
  };
  const plan = planFor(file, dialect, wish);
  const text = plan.edits.length === 0 ? (file.text ?? '') : editSettings(file.text ?? '', plan.edits);

  const done = options.print ? [text.trimEnd()] : await write(file, text, plan.changed);
  const after = options.print ? [] : howToGoOn(dialect, form, wish);
  print([...done, ...after, ...plan.warnings, ...otherForm(dialect, form, wish, options)].join('\n'));
}

function planFor({ path, value }: SettingsFile, dialect: Install, wish: InstallWish): InstallPlan {
  const plan = dialect.settings(value, wish);
  if (!('problem' in plan)) return plan;
  throw new CliError(`${[path, formatProblem(plan.problem)].join(': ')}. ${UNCHANGED}`);
}

function formFrom(dialect: string, options: InstallOptions, env: Environment): HookForm {
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
  return { dialect, settings, gateway, tenant, hasToken: (settings.token ?? tokenIn(settings.home, [])) !== undefined };
}

async function write(file: SettingsFile, text: string, changed: string[]): Promise<string[]> {
  const { path } = file;
  if (changed.length === 0) return [`${path} has these hooks already; nothing was changed.`];
  const backup = await writeSettingsFile(file, text);
  const undo = backup === undefined ? `rm ${shellWord(path)}` : `cp ${shellWord(backup)} ${shellWord(path)}`;
  return [`${path} has hooks for ${changed.join(', ')} now.`, `Undo: ${undo}`];
}

function howToGoOn({ example, httpNotes }: Install, form: HookForm, wish: InstallWish): string[] {
  const home = resolve(form.settings.home);
  if (wish.form === 'http') {
    return ['They begin with the next session. See what comes of it: npx mesh status', ...httpNotes];
  }
  return [
    'They begin with the next session. Try it without one:',
    `  echo ${shellWord(JSON.stringify(example))} | ${hookCommandLine(form, shellWord)} --verbose`,
    'See what comes of it: npx mesh status',
    `What cannot be delivered waits in ${join(home, 'spool')} (npx mesh spool); problems are in ${join(home, 'hook.log')}.`,
    ...(meshCommandFile().includes(`${join('_npx', '')}`)
      ? ['This mesh is in a cache of npx, which may go away: install the package, and run this again.']
      : []),
  ];
}

/** What would be written into an empty file. */
function otherForm(dialect: Install, form: HookForm, wish: InstallWish, options: InstallOptions): string[] {
  if (options.http || form.gateway === undefined) return [];
  const plan = dialect.settings({}, { ...wish, form: 'http' });
  const title = 'The form that posts to the gateway without a command (--http writes it; it has no spool)';
  if (!options.print || 'problem' in plan) return ['', `${title}: --http --print shows it.`];
  return ['', `${title}:`, editSettings('', plan.edits).trimEnd()];
}

interface HookForm {
  dialect: string;
  settings: Settings;
  gateway: GatewayTarget | undefined;
  tenant: string | undefined;
  /** Whether the gateway asks for a token. */
  hasToken: boolean;
}

const LOCAL_GATEWAY = 'http://127.0.0.1:7280';

/**
 * The line that a runtime runs for a hook, in whatever folder the agent works and without the variables of this terminal: so
 * every path is whole, and what is not as by default is said.
 */
function hookCommandLine(
  { dialect, settings, gateway, tenant }: HookForm,
  word: (text: string) => string = exactWord,
): string {
  const url = gateway?.url ?? 'off';
  const words = [
    ...[word(process.execPath), word(meshCommandFile()), 'hook', dialect],
    ...['--home', word(resolve(settings.home))],
    ...(url === LOCAL_GATEWAY ? [] : ['--gateway', word(url)]),
    ...(tenant === undefined ? [] : ['--tenant', word(tenant)]),
  ];
  return words.join(' ');
}

function hookUrl({ dialect, gateway }: HookForm): string {
  return `${(gateway?.url ?? LOCAL_GATEWAY).replace(/\/+$/, '')}/v1/hooks/${dialect}`;
}

/** Nobody looks at this one in a terminal: so every character stays what it is, those too that cannot be seen. */
function exactWord(text: string): string {
  return /^[\w@%+:,./][\w@%+:,./=~-]*$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** By the package's own name, which finds it from the sources and from what they are compiled to. */
function meshCommandFile(): string {
  const manifest = createRequire(import.meta.url).resolve('remediation-mesh/package.json');
  return join(dirname(manifest), 'worker', 'mesh.mjs');
}
