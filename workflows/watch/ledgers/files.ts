import type { ConfigTrouble, RulesetFacts } from '#contract/matched.js';
import { code, utc } from '#contract/text/markdown.js';
import type { KnownConfigTrouble, KnownRuleset } from '#contract/watch.js';
import type { Ledger } from './ledger.js';

export interface SavedFiles {
  ruleset?: KnownRuleset;
  configTrouble?: KnownConfigTrouble;
}

export interface Files extends Ledger<SavedFiles> {
  /** What workers tell with the events that they matched. */
  note(ruleset: RulesetFacts, trouble: ConfigTrouble | undefined, now: number): void;
  /** The version of the rules of which all ids are known. */
  knownHash(): string | undefined;
  /** Whether a rule is in the file, as far as that is known. */
  isInUse(rule: string): boolean;
}

/** The files that decide: the rules, and `mesh.yaml` as far as something is wrong with it. */
export function createFiles(): Files {
  let ruleset: KnownRuleset | undefined;
  let configTrouble: KnownConfigTrouble | undefined;

  return {
    load(saved) {
      ({ ruleset, configTrouble } = saved);
    },
    save: () => ({ ...(ruleset && { ruleset }), ...(configTrouble && { configTrouble }) }),
    note({ hash, source, problems, ruleIds }, trouble, now) {
      // All ids are told once per version.
      const ids = ruleIds ?? (ruleset?.hash === hash ? ruleset.ruleIds : undefined);
      ruleset = { hash, source, problems, ...(ids && { ruleIds: ids }) };
      configTrouble = trouble && { ...trouble, sinceAt: configTrouble?.sinceAt ?? now, seenAt: now };
    },
    knownHash: () => (ruleset?.ruleIds ? ruleset.hash : undefined),
    isInUse: (rule) => ruleset?.ruleIds?.includes(rule) ?? true,
    show: () => ({ ruleset: ruleset ?? null, ...(configTrouble && { configTrouble }) }),
    details: () =>
      [describeRuleset(ruleset), describeTrouble(configTrouble)].filter((part) => part !== '').join('\n\n'),
  };
}

function describeRuleset(ruleset: KnownRuleset | undefined): string {
  if (!ruleset) return '';
  const { hash, source, problems } = ruleset;
  const line = `Rules are read from ${code(source)} (version ${code(hash)})`;
  if (problems.length === 0) return line;
  return `${line}\n\n**The file has changed and has mistakes. The last good version stays in use:**\n${listed(problems)}`;
}

function describeTrouble(trouble: KnownConfigTrouble | undefined): string {
  if (!trouble) return '';
  const { source, problems, hasGoodVersion, sinceAt, seenAt } = trouble;
  const inUse = hasGoodVersion
    ? 'The last good version stays in use'
    : 'No version before it was good: actions wait until it is mended';
  return `**The configuration ${code(source)} cannot be used as it is. ${inUse}.** Seen first ${utc(sinceAt)}, last ${utc(seenAt)}:\n${listed(problems)}`;
}

function listed(problems: string[]): string {
  return problems.map((problem) => `- ${code(problem)}`).join('\n');
}
