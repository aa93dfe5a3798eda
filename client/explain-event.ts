import { remediationId } from '#contract/ids.js';
import { isCopy } from '#contract/verdict.js';
import type { Judgement, LoggedVerdict } from '#contract/views/verdicts.js';
import type { WatchStatus } from '#contract/watch.js';
import { MeshError } from './errors.js';
import { knownRules } from './known-rules.js';
import type { Mesh } from './mesh.js';
import type { RemediationDetail } from '#contract/views/remediation.js';

/** Everything that tells why an event led to what it led to. */
export interface EventExplanation {
  eventId: string;
  judgement: Judgement;
  /** What its verdicts started; when they are not kept, what was found of the rules that are known. */
  remediations: RemediationDetail[];
  status: WatchStatus;
  knownRules: string[];
}

type Asked = Pick<Mesh, 'judgement' | 'status' | 'verdicts' | 'remediation'>;

/** `recorded`: its verdicts as the record has them, for when the watch keeps them no longer. */
export async function explainEvent(
  mesh: Asked,
  eventId: string,
  tenant: string,
  recorded: LoggedVerdict[] = [],
): Promise<EventExplanation> {
  const [known, status, log] = await Promise.all([
    mesh.judgement(eventId, tenant),
    mesh.status(tenant),
    mesh.verdicts(undefined, tenant),
  ]);
  const isRecorded = !areVerdictsKept(known) && splitVerdicts(recorded).judgings.length > 0;
  const judgement: Judgement = isRecorded ? { state: 'judged', verdicts: recorded } : known;
  const rules = knownRules(status, log);
  const ids = areVerdictsKept(judgement)
    ? startedBy(judgement).map(({ id }) => id)
    : rules.map((rule) => remediationId(tenant, rule, eventId));
  return { eventId, judgement, status, knownRules: rules, remediations: await existing(mesh, ids) };
}

/** The remediations that its verdicts name. */
export function startedBy({ verdicts }: Judgement): { id: string; rule: string }[] {
  const found = verdicts.flatMap(({ remediation: id, rule }) =>
    id === undefined || rule === undefined ? [] : [[id, { id, rule }] as const],
  );
  return [...new Map(found).values()];
}

/** The verdicts on an event are gone, but its remediations go by their rule and event. */
export async function searchStarted(
  mesh: Pick<Mesh, 'status' | 'remediation'>,
  eventId: string,
  tenant: string,
): Promise<RemediationDetail[]> {
  const rules = knownRules(await mesh.status(tenant), []).slice(0, SEARCHED_RULES);
  return existing(
    mesh,
    rules.map((rule) => remediationId(tenant, rule, eventId)),
  );
}

/** More rules than that are not looked for. */
const SEARCHED_RULES = 100;

export interface SplitVerdicts {
  /** Each time it was judged: once, unless it could not be judged the first time. */
  judgings: LoggedVerdict[][];
  copies: LoggedVerdict[];
}

export function splitVerdicts(verdicts: readonly LoggedVerdict[]): SplitVerdicts {
  const judgings = new Map<number, LoggedVerdict[]>();
  for (const entry of verdicts) {
    if (!isCopy(entry)) judgings.set(entry.at, [...(judgings.get(entry.at) ?? []), entry]);
  }
  return { judgings: [...judgings.values()], copies: verdicts.filter((entry) => isCopy(entry)) };
}

/** What waits to be judged has none yet. Of what was judged long ago, only copies may still be in the log. */
function areVerdictsKept({ state, verdicts }: Judgement): boolean {
  return state === 'waiting' || splitVerdicts(verdicts).judgings.length > 0;
}

/** Those that there are: a rule may not have fired, and the server keeps what is closed for a time only. */
async function existing(mesh: Pick<Mesh, 'remediation'>, ids: string[]): Promise<RemediationDetail[]> {
  const found = await Promise.all(
    ids.map((id) =>
      mesh.remediation(id).catch((error: unknown) => {
        if (error instanceof MeshError && error.code === 'not-found') return undefined;
        throw error;
      }),
    ),
  );
  return found.filter((one) => one !== undefined);
}
