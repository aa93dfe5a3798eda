import { parseRemediationId } from '#contract/ids.js';
import { SIGNALS, WORKFLOW_TYPES } from '#contract/names.js';
import type { MeshEvent } from '#contract/event.js';
import type { RemediationInput, RemediationResult } from '#contract/remediation.js';
import type { RecordedEvent } from '#contract/views/events.js';
import type { WatchStatus } from '#contract/watch.js';
import type { Receivers } from '../receivers/receivers.js';
import type { RulesVersion } from '../site/rules-on-disk.js';
import type { Freeze } from '../tally.js';
import type { Ledger } from '../traffic/ledger.js';
import type { Gathered } from './gathered.js';
import { grouped } from './grouped.js';
import type { RecordedRun } from './read-histories.js';

/** A remediation as the server has it, whatever the watch says of it. */
export interface FiredRemediation {
  id: string;
  tenant: string;
  rule: string;
  eventId: string;
  input: RemediationInput;
  status: string;
  wasAborted: boolean;
  pending: readonly string[];
  result: RemediationResult | undefined;
}

/** Something that arrived at a watch, in the order in which the server took it. */
export interface Arrival {
  tenant: string;
  order: number;
  at: number;
  event?: MeshEvent;
  /** The rule it names, or none for all. */
  rearm?: { rule?: string };
}

/** Everything the checks may look at. All of it was seen from outside of the mesh. */
export interface Evidence {
  tenants: readonly string[];
  ledger: Ledger;
  gathered: Gathered;
  /** What the workers have recorded, by tenant and id of the event. */
  recorded: ReadonlyMap<string, RecordedEvent>;
  runs: readonly RecordedRun[];
  remediations: readonly FiredRemediation[];
  arrivals: readonly Arrival[];
  statuses: ReadonlyMap<string, WatchStatus>;
  rules: readonly RulesVersion[];
  receivers: Receivers;
  programRuns: readonly string[];
  settled: Settled;
  nondeterminismLines: number;
  freezes: readonly Freeze[];
  /** Of all events: where nobody saw the verdicts of more, the checks that go by them show too little. */
  mostUnseen: number;
}

/** What came of waiting at the end. */
export interface Settled {
  /** Acknowledged, and the watch did not say in time that it had judged them. */
  unjudged: { id: string; tenant: string; state: string }[];
  /** How long the last event of each tenant took to be judged; undefined: it was not. */
  probes: { tenant: string; id: string; judgedAfterMs: number | undefined }[];
  tookMs: number;
}

/** Of a remediation that was retried the first run tells why it was started, the last one what became of it. */
export function remediationsIn(runs: readonly RecordedRun[]): FiredRemediation[] {
  const byId = grouped(
    runs.filter(({ type }) => type === WORKFLOW_TYPES.remediate),
    ({ id }) => id,
  );
  return [...byId].flatMap(([id, ofOne]) => {
    const [parsed, first, last] = [parseRemediationId(id), ofOne[0], ofOne.at(-1)];
    if (!parsed || !first || !last) return [];
    return [
      {
        ...{ id, ...parsed, status: last.status, pending: last.pending },
        input: first.input as RemediationInput,
        wasAborted: ofOne.some(({ wasAskedToEnd }) => wasAskedToEnd),
        result: last.result as RemediationResult | undefined,
      },
    ];
  });
}

export function arrivalsIn(runs: readonly RecordedRun[]): Arrival[] {
  let order = 0;
  return runs
    .filter(({ type }) => type === WORKFLOW_TYPES.watch)
    .flatMap(({ id, signals }) => {
      const tenant = id.slice(id.indexOf('/') + 1);
      return signals.flatMap(({ name, argument, at }): Arrival[] => {
        if (name === SIGNALS.events) {
          return (argument as MeshEvent[]).map((event) => ({ tenant, order: ++order, at, event }));
        }
        if (name !== SIGNALS.rearm) return [];
        return [{ tenant, order: ++order, at, rearm: argument as { rule?: string } }];
      });
    });
}
