import type { ActionPlan } from './actions/index.js';
import { isAwaited, patienceMsWith } from './patience.js';
import { isDone, type RemediationInput, type RemediationOutcome } from './remediation.js';
import { conditionOf } from './runs-only-if.js';
import type {
  ActionResult,
  ActionStatus,
  AgentAtWork,
  Launch,
  PendingAction,
  RetriedActivity,
  StartedAgent,
} from './views/actions.js';
import type { ActionStory, AgentStory, QuietWindow, Start, Story, StoryOutcome, Why } from './views/story.js';

/** What is known of a remediation, by whoever wants to tell of it. */
export interface Known {
  remediation: Planned;
  /** What its actions have come to; one that is not in there waits. Absent: nobody can tell. */
  actions?: readonly (ActionResult | PendingAction)[] | undefined;
  /** Absent: as the actions say. */
  outcome?: StoryOutcome | undefined;
  isAborting?: boolean | undefined;
  retrying?: readonly RetriedActivity[] | undefined;
  agentAtWork?: AgentAtWork | undefined;
}

type Planned = Pick<RemediationInput, 'actions'> &
  Partial<Pick<RemediationInput, 'quiet' | 'repeats' | 'isTry' | 'earlier'>>;

/** Tells what became of a remediation so far. */
export function storyOf(known: Known): Story {
  const { remediation, isAborting = false, retrying = [] } = known;
  const states = known.actions && remediation.actions.map((plan) => stateOf(plan, known));
  const outcome = known.outcome ?? (states?.every(isEnded) ? outcomeOf(states) : 'running');
  const actions = remediation.actions.map((plan, place) =>
    states ? tellState(plan, place, states, { ...known, outcome }) : tellUnknown(plan, known),
  );
  const isOpen = outcome === 'running';
  const named = (state: ActionStory['state']) => actions.filter((one) => one.state === state).map(({ name }) => name);
  return {
    outcome,
    actions,
    quiet: quietOf(remediation),
    next: {
      running: named('running'),
      toCome: named('waiting'),
      canAbort: isOpen && !isAborting,
      canRetry: !isOpen && outcome !== 'executed' && outcome !== 'skipped',
    },
    retrying: retrying.filter(({ action }) => action === undefined),
  };
}

type State = ActionResult | PendingAction;

/** What nobody has told of was done by the run before, refused when the rule fired, or waits. */
function stateOf({ name: action, type, refused }: ActionPlan, { actions = [], remediation }: Known): State {
  const told = actions.find((one) => one.action === action);
  if (told) return told;
  const earlier = remediation.earlier?.find((one) => one.action === action);
  if (earlier && isDone(earlier)) return earlier;
  if (refused !== undefined) return { action, type, status: 'skipped', reason: refused, attempts: 0 };
  return { action, type, status: 'waiting' };
}

function isEnded(state: State): state is ActionResult {
  return state.status !== 'running' && state.status !== 'waiting';
}

/** The worst wins; a remediation counts as skipped only when all of it was. */
const WORST_FIRST: ActionStatus[] = ['failed', 'executed', 'skipped'];

/** Who aborts a remediation is to see that, whatever had failed by then. */
export function outcomeOf(results: readonly ActionResult[]): RemediationOutcome {
  if (results.some(isAborted)) return 'aborted';
  return WORST_FIRST.find((status) => results.some((action) => action.status === status)) ?? 'skipped';
}

/** Also a message that was on its way, when somebody else was not reached. */
function isAborted({ status, deliveries = [] }: ActionResult): boolean {
  return status === 'aborted' || deliveries.some((delivery) => delivery.status === 'aborted');
}

/** No worker can tell. The server still knows what is tried again. */
function tellUnknown({ name, type }: ActionPlan, { retrying = [] }: Known): ActionStory {
  const mine = retrying.filter(({ action }) => action === name);
  const attempts = attemptsSoFar(mine);
  return {
    ...{ name, type, state: 'unknown', launches: [], deliveries: [], retrying: mine },
    ...(attempts !== undefined && { attempts }),
  };
}

function tellState(plan: ActionPlan, place: number, states: readonly State[], known: Known): ActionStory {
  const { name, type } = plan;
  const state = states[place] ?? { action: name, type, status: 'waiting' };
  const { launches = [], agent, deliveries = [] } = state;
  const onlyIf = conditionOf(plan, known.remediation.actions);
  const all = {
    ...{ name, type, launches, deliveries },
    ...(onlyIf && { onlyIf }),
    ...(agent && { agent: { ...agent, ...standingOf(agent, state, known) } }),
  };
  if (isEnded(state)) {
    const { status, detail, attempts, leaseUntilAt } = state;
    const why = whyOf(plan, state);
    return {
      ...all,
      state: status,
      retrying: [],
      ...(why && { why }),
      ...(detail !== undefined && { detail }),
      ...((status !== 'aborted' || attempts > 0) && { attempts }),
      ...(leaseUntilAt !== undefined && { leaseUntilAt }),
    };
  }
  const { status, doing, sinceAt } = state;
  // Who closed the run asked none of its actions: they stand as they did then.
  if (known.outcome === 'terminated' || known.outcome === 'timed-out') {
    const why: Why = { code: 'cut-off', by: known.outcome, while: status };
    return { ...all, state: status === 'waiting' ? 'skipped' : 'unknown', why, retrying: [] };
  }
  const retrying = (known.retrying ?? []).filter(({ action }) => action === name);
  const attempts = attemptsSoFar(retrying);
  const starts = status === 'waiting' && !onlyIf ? startOf(place, known.remediation.actions, states) : undefined;
  return {
    ...all,
    state: status,
    retrying,
    ...(doing && { doing }),
    ...(sinceAt !== undefined && { sinceAt }),
    ...(starts && { starts }),
    ...(attempts !== undefined && { attempts }),
  };
}

/** How often it was tried so far; of several parts, that which was tried most. */
function attemptsSoFar(retried: readonly RetriedActivity[]): number | undefined {
  if (retried.length === 0) return undefined;
  return Math.max(...retried.map(({ state, attempt }) => (state === 'running' ? attempt : attempt - 1)));
}

function whyOf(plan: ActionPlan, { status, reason: text, attempts, launches = [], deliveries = [] }: ActionResult) {
  if (text === undefined) return undefined;
  return { code: codeOf(), text } satisfies Why;

  function codeOf() {
    if (status === 'skipped' && plan.refused !== undefined) return 'refused';
    if (status === 'skipped' && attempts === 0 && plan.onlyIf !== undefined) return 'not-needed';
    if (isToldByLaunches(launches)) return 'launches';
    return deliveries.some((one) => one.status !== 'delivered') ? 'deliveries' : 'said';
  }
}

/** True when the reason of an action is made of what the launchers say that it has tried, so that it need not be told as well. */
export function isToldByLaunches(launches: readonly Launch[]): boolean {
  return launches.length > 1 && launches.every(({ status, reason }) => status === 'failed' || reason !== undefined);
}

/** Nobody is to think that the mesh has lost an agent that it is with. */
function standingOf(
  { outcome, mayNotExist }: StartedAgent,
  state: State,
  { agentAtWork, retrying = [], ...known }: Known,
): Pick<AgentStory, 'stands' | 'atWork'> {
  // Its time limit may have been over before anybody knew.
  if (mayNotExist && (outcome === 'running' || outcome === 'timeout')) return { stands: 'perhaps-started' };
  if (outcome !== 'running') return { stands: outcome };
  // Between two attempts the agent is that of the attempt before, of which there is no telling.
  const isBetweenAttempts = retrying.some((one) => one.action === state.action && one.state !== 'running');
  const isPutOff =
    'doing' in state && (state.doing?.is === 'waiting-for-slot' || state.doing?.is === 'waiting-to-retry');
  const isAtWork = known.outcome === 'running' && state.status === 'running' && !isBetweenAttempts && !isPutOff;
  if (!isAtWork) return { stands: 'end-unknown' };
  if (agentAtWork?.action !== state.action) return { stands: 'at-work' };
  const { sinceAt, untilAt } = agentAtWork;
  return { stands: 'at-work', atWork: { sinceAt, untilAt } };
}

/** Given the one before it in the rule, as soon as that one has started. */
function startOf(place: number, actions: readonly ActionPlan[], states: readonly State[]): Start | undefined {
  const at = actions.slice(0, place).findLastIndex(({ refused }) => refused === undefined);
  const before = actions[at];
  if (!before || states[at]?.status === 'waiting') return undefined;
  const after = before.name;
  if (isAwaited(before)) return { after, needs: 'end' };
  return { after, needs: 'await' in before ? 'agent' : 'end', patienceMs: patienceMsWith(before) };
}

/** What stays quiet because the rule has fired: the rule for its cooldown, and equal events where that is longer. */
export function quietOf({ actions, quiet, repeats, isTry }: Planned): QuietWindow[] {
  // A try is past the guards, and arms none.
  if (isTry) return [];
  const cooling: QuietWindow[] = quiet
    ? [{ by: 'cooldown', ...(quiet.label !== undefined && { label: quiet.label }), untilAt: quiet.cooldownUntilAt }]
    : [];
  if (!repeats) return cooling;
  // An event that is equal as a whole has the values of `cooldownBy` too; one that is equal in `dedupBy` may have others.
  const isCovered = quiet !== undefined && (quiet.label === undefined || repeats.by === undefined);
  // The longest first: the others are left out when there are many.
  const ends = [...new Set(repeats.until.map(({ untilAt }) => untilAt))].sort((one, other) => other - one);
  const repeating = ends
    .filter((untilAt) => !isCovered || untilAt > quiet.cooldownUntilAt)
    .map((untilAt): QuietWindow => {
      const names = repeats.until.filter((one) => one.untilAt === untilAt).map(({ action }) => action);
      return {
        by: 'repeats',
        ...(names.length < actions.length && { actions: names }),
        ...(repeats.by && { fields: repeats.by }),
        untilAt,
      };
    });
  return [...cooling, ...repeating];
}
