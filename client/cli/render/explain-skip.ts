import type { SkipCode } from '#contract/verdict.js';
import type { LoggedVerdict } from '#contract/views/verdicts.js';
import type { WatchStatus } from '#contract/watch.js';
import { tenantOptions } from '../tenant-option.js';
import { unknownEventNames } from '../../unknown-event-names.js';
import { meshCommand, shellWord } from '../terminal/shell-word.js';
import { moment } from '../terminal/times.js';

export type Skipped = Extract<LoggedVerdict, { verdict: 'skip' }>;

/** What a skip means for who looks at it now, and what to do about it. */
export function explainSkip(
  skip: Skipped,
  { tenant, paused, guards, ruleset }: Pick<WatchStatus, 'tenant' | 'paused' | 'guards' | 'ruleset'>,
  now: number,
): string {
  const command = (name: string, words: string[] = []) => meshCommand(name, words, tenantOptions(tenant));
  const rearm = skip.rule === undefined ? command('rearm --all') : command('rearm', [skip.rule]);
  const explanations: Record<SkipCode, () => string> = {
    duplicate: () => 'The same id was judged before, so nothing was done twice. A new incident needs a new id.',
    paused: () =>
      paused
        ? `The tenant is still paused. To go on: ${command('resume')}. Then report it again under another id.`
        : 'The tenant was paused then, and is not any more. What was skipped stays skipped: report it again under another id.',
    stale: () => "It came too late to act on. Look at the reporter's clock and spool, or raise `maxEventAgeMs`.",
    disabled: () =>
      skip.rule === undefined
        ? 'The whole rules file has `enabled: false`.'
        : 'This action has `enabled: false` in the rules.',
    'max-depth': () =>
      skip.isDoubted
        ? [
            'Whether it comes from an agent that a remediation started is not known, since its token is not believed.',
            'So it counts as the end of a chain. The token should be the `MESH_LINEAGE` of that agent, unchanged.',
          ].join(' ')
        : `${FROM_AN_AGENT} Here \`maxChainDepth\` of the rules ends the chain.`,
    'no-match': () =>
      [
        ...unknownEventNames([skip.event]).map((warning) => `Beware: ${warning}.`),
        `To try an edit of the rules without a server: ${simulation(ruleset)}`,
      ].join(' '),
    'rule-limit': () =>
      'Rules that come first in the file go first. Narrow what they look at, or put their actions together: `npx mesh check` counts them.',
    'rule-depth': () => `${FROM_AN_AGENT} Here \`maxDepth\` of the rule ends the chain.`,
    cooldown: () => `A firing shortly before began this window. ${windowText(skip, guards, rearm, now)}`,
    dedup: () => `An equal event shortly before began this window. ${windowText(skip, guards, rearm, now)}`,
    descendants: () =>
      'Agents of this chain go on starting agents. See what they do; `maxDescendants` of the rules ends the chain for a day.',
    'spawn-rate': () =>
      'Agents of one chain were started faster than any of them can do its work. A later event of the chain may start one again.',
    shadow: () => 'The rule is on trial and only counts. To have it act: `mode: enforce` in the rules.',
    error: () =>
      skip.rule === undefined
        ? 'It was not judged. When what the reason says is mended, report it again with the same id.'
        : `Nothing was started, and its windows stay armed. To try again: ${rearm}, then report it under another id.`,
  };
  return explanations[skip.code]();
}

/** Whoever reports an event may say how deep it is, and nothing makes it less deep than that. */
const FROM_AN_AGENT = 'It comes from an agent that a remediation started, or says itself that it is so deep.';

function simulation(ruleset: WatchStatus['ruleset']): string {
  const rules = ruleset ? shellWord(ruleset.source) : '<file>';
  return `npx mesh simulate --explain --rules ${rules} --events <file>`;
}

function windowText(skip: Skipped, guards: WatchStatus['guards'], rearm: string, now: number): string {
  const { untilAt } = skip;
  if (untilAt === undefined) return `To end it now: ${rearm}`;
  if (untilAt <= now) return `It ended ${moment(untilAt, now)}.`;
  if (wasEndedEarly(skip, untilAt, guards)) return 'It was ended since, before its time.';
  return `It ends ${moment(untilAt, now)}. To end it now: ${rearm}`;
}

/** Re-armed, or dropped for lack of room. Sure only when the watch lists all the windows it has. */
function wasEndedEarly(
  { rule, code }: Skipped,
  untilAt: number,
  { cooldowns, dedups, live }: WatchStatus['guards'],
): boolean {
  const [listed, count] = code === 'cooldown' ? [cooldowns, live.cooldowns] : [dedups, live.dedups];
  return listed.length === count && !listed.some((window) => window.rule === rule && window.untilAt === untilAt);
}
