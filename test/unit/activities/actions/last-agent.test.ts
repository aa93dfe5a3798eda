import { expect, test } from 'vitest';
import type { ActionResult, PendingAction, StartedAgent } from '#contract/remediation.js';
import { lastAgentBefore } from '#activities/actions/last-agent.js';
import { aSpawnRequest } from '../../../support/spawn-activity.js';

const agent = (launcher: string): StartedAgent => ({ launcher, outcome: 'running' });
const done = (action: string, started?: StartedAgent): ActionResult => ({
  action,
  type: 'spawn_fallback_agent',
  status: 'executed',
  attempts: 1,
  ...(started && { agent: started }),
});
const pending = (action: string, started?: StartedAgent): PendingAction => ({
  action,
  type: 'spawn_fallback_agent',
  status: 'running',
  ...(started && { agent: started }),
});

test.each<[string, ActionResult[], PendingAction[], string | undefined]>([
  ['nothing before', [], [pending('c', agent('own'))], undefined],
  ['one that is done', [done('a', agent('first'))], [pending('b')], 'first'],
  [
    'one that runs on, and an older one that is done',
    [done('a', agent('first'))],
    [pending('b', agent('second'))],
    'second',
  ],
  [
    'one that is done, and an older one that runs on',
    [done('b', agent('second'))],
    [pending('a', agent('first'))],
    'second',
  ],
  ['only one behind it', [done('d', agent('later'))], [], undefined],
])('the agent that was started last before an action: %s', (_what, soFar, others, launcher) => {
  const request = aSpawnRequest();
  const actions = ['a', 'b', 'c', 'd'].map((name) => ({ ...request.plan, name }));
  const plan = { ...request.plan, name: 'c' };
  const remediation = { ...request.remediation, actions };

  expect(lastAgentBefore({ plan, remediation, soFar, pending: others })?.launcher).toBe(launcher);
});
