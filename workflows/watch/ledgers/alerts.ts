import type { OpenAlert } from '#contract/notification.js';
import { code, utc } from '#contract/text/markdown.js';
import type { WatchStatus } from '#contract/watch.js';
import { type GuardMemory, remainingMs } from '#rules/guards/memory.js';
import { fail, type Subject, subjectKey, SUBJECTS, succeed } from '../alert-subject.js';
import type { Failure, Success } from '../judged.js';
import { DAY_MS } from '../../limits.js';
import { FORGET_STEP_MS } from '../limits.js';
import { listIn, numberIn, textIn } from '../read-argument.js';
import { describeTooMany, dueFirst, lastWithin, type Ledger } from './ledger.js';
import type { Standing } from './standing.js';

/** A rule has fired for the subject, and a delivery may tell of an alert for as long as it is tried. */
interface FiredSubject extends Subject {
  firedAt: number;
}

type WatchedAlert = OpenAlert & Subject;

export interface SavedAlerts {
  open: WatchedAlert[];
  fired: FiredSubject[];
  /** Dropped because there were too many, over all runs. */
  dropped: number;
}

/** An alert that is over, and the success that closes it. */
export interface OverAlert {
  alert: OpenAlert;
  by: Success['by'];
}

export interface Alerts extends Ledger<SavedAlerts> {
  /** Takes the signal by which deliveries tell of alerts they opened. Returns what was wrong with it. */
  open(argument: unknown, now: number): string | undefined;
  /** Whether a receiver is to be told now. */
  hasOver(now: number): boolean;
  /** Those whose receivers are to be told now. They are forgotten. */
  takeOver(now: number): OverAlert[];
  /** What receivers hold open, the last opened last. */
  list(): OpenAlert[];
}

export const ALERT_LIFE_MS = 7 * DAY_MS;
/** For as long as deliveries are tried when `mesh.yaml` says nothing else. */
export const FIRED_LIFE_MS = DAY_MS;
export const MAX_ALERTS = 500;
export const MAX_FIRED = 500;
const MAX_ALERTS_BYTES = 200_000;
const MAX_FIRED_BYTES = 50_000;
const SHOWN_ALERTS = 10;

/** What receivers hold open until a success is reported, and what they may hold open soon. */
export function createAlerts(tenant: string, { cooldowns }: GuardMemory, standing: Pick<Standing, 'pause'>): Alerts {
  const alerts = new Map<string, WatchedAlert>();
  /** Known before any delivery tells of an alert: what it is about may work again, or fail again, by then. */
  const fired = new Map<string, FiredSubject>();
  let dropped = 0;

  return {
    load(saved) {
      for (const one of saved.open) alerts.set(keyOf(one), one);
      for (const one of saved.fired) fired.set(subjectKey(one), one);
      dropped = saved.dropped;
    },
    save: () => ({ open: [...alerts.values()], fired: [...fired.values()], dropped }),
    shed: [
      { what: 'alerts', shed: () => keep(fired, lastWithin([...fired.values()], MAX_FIRED_BYTES)) },
      {
        what: 'alerts',
        shed: () => (dropped += keep(alerts, lastWithin([...alerts.values()], MAX_ALERTS_BYTES))),
      },
    ],
    // One that works again stays: its receiver is still to be told, however long the pause.
    prune(now) {
      for (const [key, one] of alerts) if (!one.worksAgain && now - one.openedAt >= ALERT_LIFE_MS) alerts.delete(key);
      for (const [key, { firedAt }] of fired) if (now - firedAt >= FIRED_LIFE_MS) fired.delete(key);
    },
    due() {
      const broken = [...alerts.values()].filter(({ worksAgain }) => !worksAgain);
      const overAts = broken.map(({ openedAt }) => openedAt + ALERT_LIFE_MS);
      const firedUntil = [...fired.values()].map(({ firedAt }) => firedAt + FIRED_LIFE_MS);
      return dueFirst([...overAts, ...firedUntil], 'forgets what is old', FORGET_STEP_MS);
    },
    learn({ works, broken, at }) {
      if (works) for (const one of subjects()) succeed(one, works, at);
      if (!broken) return;
      for (const one of subjects()) fail(one, broken);
      noteFired(broken, at);
    },
    open(argument, now) {
      const told = listIn(argument).map((written) => readAlert(written, tenant, now));
      const good = told.filter((alert) => alert !== undefined);
      for (const alert of good) put(alert);
      return good.length > 0 && good.length === told.length ? undefined : EXPECTED;
    },
    hasOver: (now) => [...alerts.values()].some((one) => isOver(one, now)),
    takeOver(now) {
      const over = [...alerts.values()].filter((one) => isOver(one, now));
      for (const one of over) alerts.delete(keyOf(one));
      return over.map((one) => ({ alert: openAlert(one), by: one.worksAgain.by }));
    },
    list: () => [...alerts.values()].map(openAlert),
    show: () => ({ alerts: [...alerts.values()].map(shown), dropped: { alerts: dropped } }),
    details: () => [describeOpen(), describeTooMany({ alerts: dropped })].filter((part) => part !== '').join('\n\n'),
  };

  function* subjects(): Iterable<Subject> {
    yield* fired.values();
    yield* alerts.values();
  }

  function noteFired({ rules, ...work }: Failure, now: number): void {
    if (rules === 'any') return;
    for (const [rule, { cooldownKey, mayOpen }] of rules) {
      // Which of the two an alert will be about is up to its channel.
      for (const resolveOn of mayOpen ? SUBJECTS : []) {
        if (work[resolveOn] === undefined) continue;
        const subject: FiredSubject = { ...work, rule, resolveOn, cooldownKey, firedAt: now };
        const key = subjectKey(subject);
        const known = fired.get(key);
        fired.delete(key);
        // What is known has learnt of this failure already, and perhaps of a success that is later.
        fired.set(key, known ? { ...known, firedAt: now } : subject);
      }
    }
    dropOldest(fired, MAX_FIRED);
  }

  /** A delivery that took long tells of what may work by now, or have failed again. */
  function put(told: OpenAlert): void {
    const key = keyOf(told);
    const known = fired.get(subjectKey(told)) ?? alerts.get(key);
    const { cooldownKey, worksAgain } = known ?? {};
    const occurredAt = Math.max(told.occurredAt, known?.occurredAt ?? told.occurredAt);
    alerts.delete(key);
    alerts.set(key, {
      ...{ ...told, occurredAt },
      ...(cooldownKey !== undefined && { cooldownKey }),
      ...(worksAgain && worksAgain.occurredAt >= occurredAt && { worksAgain }),
    });
    dropped += dropOldest(alerts, MAX_ALERTS);
  }

  function isOver(one: WatchedAlert, now: number): one is WatchedAlert & Required<Pick<Subject, 'worksAgain'>> {
    return one.worksAgain !== undefined && !standing.pause && remainingMs(holdOf(one), now) === 0;
  }

  /**
   * The cooldown that would keep its next failure quiet: its receiver would believe the work mended, and hear nothing when that
   * breaks again. One that was armed later does not count, so the wait ends also where others keep the rule firing.
   */
  function holdOf({ cooldownKey = '', worksAgain }: Subject): { untilAt: number } | undefined {
    const cooldown = cooldowns.get(cooldownKey);
    return cooldown && worksAgain && cooldown.armedAt <= worksAgain.at ? cooldown : undefined;
  }

  /** When its receiver is told, in words that go on after "resolved when". */
  function resolvedWhen(alert: WatchedAlert): string {
    if (standing.pause) return 'the tenant is resumed';
    const hold = holdOf(alert);
    // Events of a pause may take it back.
    return hold ? `the cooldown of the rule ends, ${utc(hold.untilAt)}` : 'what waits is judged';
  }

  function shown(alert: WatchedAlert): NonNullable<WatchStatus['alerts']>[number] {
    const { rule, team, channel, openedAt, resolveOn, worksAgain } = alert;
    const standsSo = worksAgain && { worksAgain: true as const, resolvedWhen: resolvedWhen(alert) };
    return { rule, team, channel, openedAt, [resolveOn]: alert[resolveOn] ?? '', ...standsSo };
  }

  function describeOpen(): string {
    if (alerts.size === 0) return '';
    const lines = [...alerts.values()].slice(-SHOWN_ALERTS).map((alert) => {
      const { rule, team, channel, openedAt, resolveOn } = alert;
      const until = alert.worksAgain
        ? `works again, resolved when ${resolvedWhen(alert)}`
        : `until ${resolveOn} ${code(alert[resolveOn] ?? '')} succeeds`;
      return `- ${code(rule)} at ${code(`${team}/${channel}`)} since ${utc(openedAt)}, ${until}`;
    });
    const more = alerts.size > SHOWN_ALERTS ? [`- … and ${alerts.size - SHOWN_ALERTS} more`] : [];
    return ['**Open alerts**', '', ...lines.reverse(), ...more].join('\n');
  }
}

function keyOf({ team, channel, key }: OpenAlert): string {
  return JSON.stringify([team, channel, key]);
}

/** As the receiver knows it. */
function openAlert({ cooldownKey: _key, worksAgain: _works, ...alert }: WatchedAlert): OpenAlert {
  return alert;
}

function dropOldest(map: Map<string, unknown>, max: number): number {
  const tooMany = Math.max(0, map.size - max);
  for (const key of [...map.keys()].slice(0, tooMany)) map.delete(key);
  return tooMany;
}

/** Tells how many went. */
function keep<T>(map: Map<string, T>, kept: T[]): number {
  return dropOldest(map, kept.length);
}

const EXPECTED =
  'expected a list of alerts {"tenant": "…", "rule": "…", "team": "…", "channel": "…", "key": "…", "resolveOn": "task", "task": "…"}';

/** Anyone can signal a watch: undefined for what is no alert, or another tenant's. */
function readAlert(written: unknown, tenant: string, now: number): OpenAlert | undefined {
  const [rule, team, channel, key] = ['rule', 'team', 'channel', 'key'].map((name) => textIn(written, name));
  const [session, task, tool] = ['session', 'task', 'tool'].map((name) => textIn(written, name));
  const resolveOn = SUBJECTS.find((what) => textIn(written, 'resolveOn') === what);
  if (textIn(written, 'tenant') !== tenant || resolveOn === undefined || { task, tool }[resolveOn] === undefined) {
    return undefined;
  }
  if (rule === undefined || team === undefined || channel === undefined || key === undefined) return undefined;
  // A clock that is ahead must not keep an alert open for longer; and there are numbers that are no time.
  const openedAt = Math.max(0, Math.min(numberIn(written, 'openedAt') ?? now, now));
  return {
    ...{ tenant, rule, team, channel, key, resolveOn },
    remediation: textIn(written, 'remediation') ?? '',
    root: textIn(written, 'root') ?? '',
    ...(session !== undefined && { session }),
    ...(task !== undefined && { task }),
    ...(tool !== undefined && { tool }),
    // Signalled by hand, it may not say when it began.
    occurredAt: numberIn(written, 'occurredAt') ?? openedAt,
    openedAt,
  };
}
