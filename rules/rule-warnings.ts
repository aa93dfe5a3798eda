import { EVENT_NAME } from '../contract/event.js';
import { nearest } from '../contract/nearest.js';
import { formatPath, type Problem } from '../contract/problem.js';
import type { Rule, Ruleset } from '../contract/ruleset.js';
import { KNOWN_EVENTS } from './known-events.js';

/** What is valid and yet most likely not meant: each of these has left someone wondering why nothing happened. */
export function ruleWarnings(ruleset: Ruleset): Problem[] {
  return ruleset.rules.flatMap((rule, index) => {
    const at = (...path: PropertyKey[]) => formatPath(['rules', index, ...path]);
    return [
      eventWarning(rule, at('trigger', 'event')),
      globWarning(rule, at('condition', 'toolNames')),
      depthWarning(rule, ruleset, at('maxDepth')),
      firstOnlyIfWarning(rule, at('actions', 0, 'onlyIf')),
    ].filter((problem) => problem !== undefined);
  });
}

function eventWarning(rule: Rule, path: string): Problem | undefined {
  const { event } = rule.trigger;
  if ((KNOWN_EVENTS as readonly string[]).includes(event)) return undefined;
  if (!EVENT_NAME.test(event)) {
    return { path, message: `no event can be named ${JSON.stringify(event)}: this rule never matches` };
  }
  const guess = nearest(event, KNOWN_EVENTS);
  return {
    path,
    message: `no runtime known to the mesh sends "${event}"`,
    hint: guess ? `did you mean "${guess}"?` : 'fine if a runtime of yours sends it',
  };
}

function globWarning(rule: Rule, path: string): Problem | undefined {
  const globs = rule.condition?.toolNames?.filter((name) => /[*?|^$]/.test(name)) ?? [];
  if (globs.length === 0) return undefined;
  return {
    path,
    message: `${globs.map((name) => JSON.stringify(name)).join(', ')}: tool names are compared exactly, not as patterns`,
    hint: 'list each tool by its name',
  };
}

function depthWarning(rule: Rule, ruleset: Ruleset, path: string): Problem | undefined {
  if (rule.maxDepth === 0)
    return { path, message: 'maxDepth 0 means this rule never fires', hint: 'use mode: off to say so' };
  if (rule.maxDepth === undefined || rule.maxDepth <= ruleset.maxChainDepth) return undefined;
  return {
    path,
    message: `maxDepth ${rule.maxDepth} has no effect: maxChainDepth of the file is ${ruleset.maxChainDepth}`,
    hint: 'raise maxChainDepth, or lower this',
  };
}

function firstOnlyIfWarning(rule: Rule, path: string): Problem | undefined {
  if (rule.actions[0]?.onlyIf === undefined) return undefined;
  return {
    path,
    message: 'onlyIf looks at the action before, and there is none: this action never runs',
    hint: 'put it after the action it depends on',
  };
}
