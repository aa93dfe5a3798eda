import { didYouMean } from '#contract/text/nearest.js';
import { EVENT_NAME } from '#contract/event.js';
import { formatPath, type Problem } from '#contract/text/problem.js';
import type { Rule, Ruleset } from '#contract/ruleset.js';
import { isKnownEvent, KNOWN_EVENTS } from '../known-events.js';

/** What is valid and yet most likely not meant: each of these has left someone wondering why nothing happened. */
export function ruleWarnings(ruleset: Ruleset): Problem[] {
  return ruleset.rules.flatMap((rule, index) => {
    const at = (...path: PropertyKey[]) => formatPath(['rules', index, ...path]);
    return [
      eventWarning(rule, at('trigger', 'event')),
      globWarning(rule, at('condition', 'toolNames')),
      depthWarning(rule, ruleset, at('maxDepth')),
      ...firstOnlyIfWarnings(rule, (number) => at('actions', number, 'onlyIf')),
      ...earlyOnlyIfWarnings(rule, (number) => at('actions', number, 'onlyIf')),
      ...lateSuccessWarnings(rule, (number) => at('actions', number, 'onlyIf')),
    ].filter((problem) => problem !== undefined);
  });
}

function eventWarning(rule: Rule, path: string): Problem | undefined {
  const { event } = rule.trigger;
  if (isKnownEvent(event)) return undefined;
  if (!EVENT_NAME.test(event)) {
    return { path, message: `no event can be named ${JSON.stringify(event)}: this rule never matches` };
  }
  return {
    path,
    message: `no runtime known to the mesh sends "${event}"`,
    hint: didYouMean(event, KNOWN_EVENTS, 'fine if a runtime of yours sends it'),
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

/** What is switched off is as good as not there. */
function firstOnlyIfWarnings({ actions }: Rule, at: (number: number) => string): Problem[] {
  const first = actions.findIndex(({ enabled }) => enabled);
  if (actions[first]?.onlyIf === undefined) return [];
  return [
    {
      path: at(first),
      message: 'onlyIf looks at the action before, and there is none: this action never runs',
      hint: 'put it after the action it depends on',
    },
  ];
}

/** A command is watched to its end in any case; of other agents the mesh learns it only when it is asked to wait. */
function earlyOnlyIfWarnings({ actions }: Rule, at: (number: number) => string): Problem[] {
  const enabled = [...actions.entries()].filter(([, action]) => action.enabled);
  return enabled.flatMap(([number, { onlyIf }], index) => {
    const before = enabled[index - 1]?.[1];
    if (onlyIf === undefined || before?.type !== 'spawn_fallback_agent' || before.await === 'finished') return [];
    return [
      {
        path: at(number),
        message:
          'the agent before is not awaited: one of a service or a workflow counts as succeeded once it was started',
        hint: 'say `await: finished` of the agent to look at how it ends',
      },
    ];
  });
}

/**
 * "Wake someone on failure, then good news on success" sends the good news after a failure: the wake-up message went out,
 * which is a success. A second agent that runs on failure is another matter, since its success is worth good news.
 */
function lateSuccessWarnings({ actions }: Rule, at: (number: number) => string): Problem[] {
  const enabled = [...actions.entries()].filter(([, action]) => action.enabled);
  return enabled.flatMap(([number, { onlyIf }], index) => {
    if (onlyIf !== 'success') return [];
    const earlier = enabled.slice(0, index).map(([, action]) => action);
    const subject = earlier.findLastIndex((action) => action.onlyIf !== 'failed');
    const isMessage = earlier.slice(subject + 1).some(({ type }) => type === 'notify_team');
    // Where all that is before it runs on failure, none of it ever runs: that has been said of the first. And where a message is
    // sent because another one failed, that is no wake-up but its substitute.
    if (!isMessage || subject < 0 || earlier[subject]?.type === 'notify_team') return [];
    return [
      {
        path: at(number),
        message:
          'this action runs after a failure too: a message before it has `onlyIf: failed`, and once that is out it counts as succeeded',
        hint: 'put it before that message: good news first, then what is for a failure',
      },
    ];
  });
}
