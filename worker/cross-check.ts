import type { Ruleset } from '#contract/ruleset.js';
import { type KnownNames, nameWarnings } from '#rules/warnings/index.js';
import { createNews } from './say-news.js';

export interface CrossCheck {
  takeRules(file: string, ruleset: Ruleset): void;
  takeNames(known: KnownNames): void;
}

/** Looks at rules and configuration together, as soon as both are there and whenever one changes. Says what is new. */
export function createCrossCheck(warn: (file: string, warning: string) => void): CrossCheck {
  const rulesets = new Map<string, Ruleset>();
  const sayNews = createNews(warn);
  let known: KnownNames | undefined;

  function check(file: string, ruleset: Ruleset): void {
    if (known) sayNews(file, nameWarnings(ruleset, known));
  }

  return {
    takeRules(file, ruleset) {
      rulesets.set(file, ruleset);
      check(file, ruleset);
    },
    takeNames(names) {
      known = names;
      for (const [file, ruleset] of rulesets) check(file, ruleset);
    },
  };
}
