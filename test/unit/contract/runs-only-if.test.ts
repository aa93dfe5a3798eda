import { describe, expect, test } from 'vitest';
import type { OnlyIf } from '#contract/actions/of-every-action.js';
import type { ActionStatus } from '#contract/remediation.js';
import { decidingActions, runsOnlyIf } from '#contract/runs-only-if.js';
import { isPassedOver, whyNot } from '#workflows/actions/run-action.js';
import { aRemediation } from '../../support/a-remediation.js';

type Chain = (OnlyIf | undefined)[];

/** Actions `a`, `b`, `c`, … with these `onlyIf`. */
function planned(chain: Chain) {
  return aRemediation(
    chain.map((onlyIf, index) => ({ type: 'notify_team', id: 'abcd'.charAt(index), ...(onlyIf && { onlyIf }) })),
  ).actions;
}

describe('runsOnlyIf', () => {
  test.each<[string, Chain, string | undefined]>([
    ['without onlyIf', [undefined, undefined], undefined],
    ['after one that always runs', [undefined, 'failed'], 'only if a fails'],
    ['after one of the other kind', [undefined, 'success', 'failed'], 'only if a or b fails'],
    ['after one of the other kind, for success', [undefined, 'failed', 'success'], 'only if a or b succeeds'],
    ['after one of its own kind', [undefined, 'failed', 'failed'], 'only if b fails'],
    ['after two of the other kind', [undefined, 'success', 'success', 'failed'], 'only if a, b or c fails'],
    ['after both kinds', [undefined, 'success', 'failed', 'success'], 'only if b or c succeeds'],
    ['as the first', ['failed'], 'only if the action before it fails, and there is none'],
  ])('%s', (_, chain, said) => {
    const actions = planned(chain);

    expect(actions.map((plan) => runsOnlyIf(plan, actions)).at(-1)).toBe(said);
  });

  test('writes names as it is told', () => {
    const actions = planned([undefined, 'success', 'failed']);

    expect(actions.map((plan) => runsOnlyIf(plan, actions, (name) => `<${name}>`)).at(-1)).toBe(
      'only if <a> or <b> fails',
    );
  });
});

const KINDS: Chain = [undefined, 'failed', 'success'];
const CHAINS = KINDS.flatMap((b) => KINDS.flatMap((c) => KINDS.map((d): Chain => [undefined, b, c, d])));
const ENDS: ActionStatus[] = ['executed', 'failed'];

/** The walk of a remediation: back over whatever was not needed. */
function runsInRemediation(
  name: string,
  actions: ReturnType<typeof planned>,
  ends: Map<string, ActionStatus>,
): boolean {
  const find = (wanted: string | undefined) => actions.find((one) => one.name === wanted);
  const resultOf = (of: string) => {
    const type = 'notify_team' as const;
    const hasRun = runsInRemediation(of, actions, ends);
    const status = hasRun ? (ends.get(of) ?? 'executed') : ('skipped' as const);
    return { action: of, type, status, attempts: hasRun ? 1 : 0 };
  };
  const plan = find(name);
  if (!plan) return false;
  for (let before = plan.after; before !== undefined; before = find(before)?.after) {
    const result = resultOf(before);
    if (!isPassedOver(find(before), result)) return whyNot(plan, { name: before, result }) === undefined;
  }
  return whyNot(plan, undefined) === undefined;
}

test.each(CHAINS)('says what a remediation does: %s %s %s %s', (...chain) => {
  const actions = planned(chain);
  for (let bits = 0; bits < 16; bits++) {
    const ends = new Map(actions.map(({ name }, index) => [name, ENDS[(bits >> index) & 1] ?? 'executed']));
    for (const plan of actions) {
      const needed = plan.onlyIf === 'failed' ? 'failed' : 'executed';
      const isSaid =
        plan.onlyIf === undefined ||
        decidingActions(plan, actions).some(
          (name) => ends.get(name) === needed && runsInRemediation(name, actions, ends),
        );
      expect([plan.name, isSaid]).toEqual([plan.name, runsInRemediation(plan.name, actions, ends)]);
    }
  }
});
