import { visible, visibleLines } from '#contract/text/plain-text.js';
import type { ActionPreview, PreviewPart, PreviewStep } from '#contract/preview.js';
import type { TriedRule } from '../try/tried-rule.js';
import type { Paint, Screen } from '../terminal/screen.js';
import { duration } from '../terminal/times.js';
import { indent, plural, renderFacts, renderSections } from './facts.js';

export interface DryRun extends TriedRule {
  actions: ActionPreview[];
}

/** Whether a rule would fire, and everything its actions would send, for whoever writes rules. */
export function renderDryRun({ remediation, judgement, source, actions }: DryRun, { paint }: Screen): string {
  const { rule, event, rulesetHash } = remediation;
  const warnings = actions.flatMap((one) => one.warnings.map((warning) => `${one.action}: ${warning}`));
  return renderSections([
    `Rule ${paint.bold(visible(rule))} of ${visible(source)} (version ${rulesetHash}), tenant ${event.tenant}`,
    renderFacts([
      ['Event', visible(`${event.event} ${event.outcome}`)],
      ['Match', matchOf(judgement, paint)],
      ['Verdict', verdictsOf(judgement)],
      ['Guards', guardsOf(judgement)],
    ]),
    ...actions.map((action) => renderAction(action, judgement, paint)),
    warnings.length === 0 ? [] : [paint.yellow('Warnings:'), ...indent(warnings.map(visible))],
    ['Nothing was sent or started: this was a dry run.', ...mismatchOf(judgement, paint)],
  ]);
}

type Judgement = TriedRule['judgement'];

function matchOf({ missed }: Judgement, paint: Paint): string {
  if (missed === undefined) return paint.green('the rule looks at this event');
  return `${paint.yellow('the rule does not look at this event')}: ${visible(missed)}`;
}

/** With nothing armed; when it does not match there is nothing to say. */
function verdictsOf({ missed, verdicts }: Judgement): string[] | undefined {
  if (missed !== undefined) return undefined;
  return verdicts.map((verdict) => {
    const what = verdict.action === undefined ? 'the whole event' : visible(verdict.action);
    const says = verdict.verdict === 'fire' ? 'fires' : `skip ${verdict.code}: ${visible(verdict.reason)}`;
    return `${what}: ${says}`;
  });
}

function guardsOf({ guards }: Judgement): string[] {
  const { cooldown, dedups, depth, maxDescendants, maxEventAgeMs } = guards;
  const of = cooldown.label === undefined ? '' : ` for ${visible(cooldown.label)}`;
  return [
    cooldown.ms === 0 ? 'no cooldown' : `the rule cools down for ${duration(cooldown.ms)}${of}`,
    ...dedups.map(
      ({ action, ms }) =>
        `${visible(action)}: ${ms === 0 ? 'no dedup window' : `an equal event is a repeat for ${duration(ms)}`}`,
    ),
    `chain depth ${depth.is}, refused from ${depth.max}`,
    ...(maxDescendants === undefined
      ? []
      : [`at most ${plural(maxDescendants, 'agent')} of one first event, three within 10 s`]),
    ...(maxEventAgeMs === undefined ? [] : [`events older than ${duration(maxEventAgeMs)} are stale`]),
  ];
}

/** Said again at the end, since all that stands between it and the top reads as if the rule had fired. */
function mismatchOf({ missed }: Judgement, paint: Paint): string[] {
  if (missed === undefined) return [];
  return [
    `${paint.yellow('For this event nothing would run')}, since the rule does not look at it: ${visible(missed)}`,
  ];
}

function renderAction(
  { action, type, status, reason, when, unknown = [], steps }: ActionPreview,
  { missed }: Judgement,
  paint: Paint,
): string[] {
  const state = {
    ready: paint.green('would run'),
    skipped: paint.yellow('would be skipped'),
    fails: paint.red('would fail'),
  };
  const name = action.startsWith(type) ? visible(action) : `${visible(action)} (${type})`;
  const conditions = [missed === undefined ? undefined : 'if the rule fired', when && visible(when)];
  const only = conditions.filter((one) => one !== undefined).join(', and ');
  const joint = missed === undefined ? ', ' : ' ';
  const head = `Action ${paint.bold(name)}: ${state[status]}${only === '' ? '' : `${joint}${only}`}`;
  return [
    reason === undefined ? head : `${head}: ${visible(reason)}`,
    ...(steps.length === 0 || unknown.length === 0 ? [] : [`  ${visible(unknownOf(unknown))}`]),
    ...indent(steps.flatMap((step) => renderStep(step, paint))),
  ];
}

function unknownOf(before: string[]): string {
  const names = [before.slice(0, -1).join(', '), ...before.slice(-1)].filter((part) => part !== '').join(' and ');
  const [ends, isShown] = before.length === 1 ? ['ends', 'it is'] : ['end', 'they are'];
  return `how ${names} ${ends}, a dry run cannot know: ${isShown} shown as not begun`;
}

function renderStep({ what, destination, when, like, parts }: PreviewStep, paint: Paint): string[] {
  const head = `${paint.bold(visible(what))}${when === undefined ? '' : `, ${visible(when)}`}: ${visible(destination)}`;
  if (like !== undefined) return [head, `  the same as ${visible(like)}, but for the name`];
  return [head, ...indent(parts.flatMap(renderPart))];
}

/** For machines rather than for people. */
const NOT_SHOWN = 'html';

function renderPart({ part, text }: PreviewPart): string[] {
  if (part === NOT_SHOWN) return [`${part}: ${text.length} characters (--json has them)`];
  const lines = visibleLines(text.trimEnd());
  const [only = ''] = lines;
  return lines.length === 1 ? [`${part}: ${only}`] : [`${part}:`, ...indent(lines)];
}
