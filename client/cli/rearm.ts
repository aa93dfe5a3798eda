import type { Command } from 'commander';
import { didYouMean } from '#contract/text/nearest.js';
import { visible } from '#contract/text/plain-text.js';
import type { WatchStatus } from '#contract/watch.js';
import { CliError } from './cli-error.js';
import { knownRules } from '../known-rules.js';
import { print, printJson } from './print.js';
import { plural } from './render/facts.js';
import { TENANT_OPTION, tenantFrom, tenantOptions } from './tenant-option.js';
import { meshCommand } from './terminal/shell-word.js';
import { withWatch } from './open-mesh.js';

interface RearmOptions {
  all?: boolean;
  tenant?: string;
  json?: boolean;
}

export function addRearmCommand(program: Command): void {
  program
    .command('rearm')
    .description('end the cooldown and dedup windows of a rule now, so that it may fire again')
    .argument('[rule]', 'id of the rule')
    .option('--all', 'every rule of the tenant')
    .option(...TENANT_OPTION)
    .option('--json', 'print {"tenant": "…", "rule": "…", "ended": {"cooldowns": 0, "dedups": 0}}')
    .action(rearm);
}

async function rearm(rule: string | undefined, options: RearmOptions): Promise<void> {
  const tenant = tenantFrom(options, process.env);
  if (rule === undefined && !options.all)
    throw new CliError('give the id of a rule, or --all for every rule of the tenant');
  if (rule !== undefined && options.all) throw new CliError('give the id of a rule or --all, not both');
  const ended = await withWatch(tenant, async (mesh) => {
    const [status, log] = await Promise.all([mesh.status(tenant), mesh.verdicts(undefined, tenant)]);
    if (rule !== undefined) requireKnown(rule, knownRules(status, log), tenant);
    await mesh.rearm(tenant, rule);
    return liveWindows(status, rule, Date.now());
  });
  if (options.json) return printJson({ tenant, ...(rule !== undefined && { rule }), ended });
  print(
    [
      `${rule === undefined ? `Every rule of tenant ${tenant}` : `Rule ${visible(rule)}`} may fire again at once: ${describe(ended)}.`,
      `To see the effect: ${meshCommand('status', [], tenantOptions(tenant))}`,
    ].join('\n'),
  );
}

function requireKnown(rule: string, known: string[], tenant: string): void {
  if (known.includes(rule)) return;
  const hint = didYouMean(rule, known, `it knows: ${known.join(', ') || 'none yet'}`);
  throw new CliError(`tenant ${tenant} has judged nothing by a rule ${JSON.stringify(rule)} (${visible(hint)})`);
}

interface LiveWindows {
  cooldowns: number;
  dedups: number;
}

/** Of one rule as far as they are listed: a watch tells of a thousand windows of each kind, those that end soonest. */
export function liveWindows({ guards }: WatchStatus, rule: string | undefined, now: number): LiveWindows {
  if (rule === undefined) return guards.live;
  const count = (windows: { rule: string; untilAt: number }[]) =>
    windows.filter((window) => window.rule === rule && window.untilAt > now).length;
  return { cooldowns: count(guards.cooldowns), dedups: count(guards.dedups) };
}

function describe({ cooldowns, dedups }: LiveWindows): string {
  if (cooldowns + dedups === 0) return 'no window was live';
  return `${plural(cooldowns, 'cooldown window')} and ${plural(dedups, 'dedup window')} ended`;
}
