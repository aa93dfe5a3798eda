import type { MeshConfig } from '#config/mesh-config.js';
import type { NoticeActivities } from '#contract/activities.js';
import type { Action } from '#contract/actions/index.js';
import { actionName, remediationId } from '#contract/ids.js';
import { MAX_RECEIVERS } from '#contract/limits.js';
import type { DigestNotice, ResolveNotice } from '#contract/notice.js';
import type { NotificationDraft, PlannedDelivery } from '#contract/notification.js';
import type { Rule } from '#contract/ruleset.js';
import { loadConfig } from '../../load-config.js';
import { redactorOf } from '../../redactor-of.js';
import type { World } from '../../world.js';
import { type ChosenTeam, chooseTeam } from './choose-team.js';
import { planDeliveries } from './plan-deliveries.js';
import { threadKey } from './message/thread-key.js';
import { writeDigest, writeResolved } from './message/write-notice.js';
import type { WritingDesk } from './message/write-message.js';

type NoticeWorld = Pick<World, 'config' | 'rulesets' | 'redactKeys' | 'temporalUi' | 'temporal' | 'workflows'>;

/** Writes a message that no single event brought about, and finds out who gets it. */
export function makeComposeNotice(world: NoticeWorld): NoticeActivities['composeNotice'] {
  return async (notice) => {
    const config = await loadConfig(world.config);
    const desk = { config, redactor: redactorOf(config, world.redactKeys), world, nowMs: Date.now() };
    return notice.kind === 'digest' ? digest(notice, desk, world) : resolved(notice, desk);
  };
}

/** Goes to everyone whom the rule tells when it fires, as far as that is known without the event. */
async function digest(notice: DigestNotice, desk: WritingDesk, world: NoticeWorld): Promise<NotificationDraft> {
  const { tenant, rule, suppressed, label, about } = notice;
  if (suppressed.events === 0) return { status: 'skipped', reason: 'nothing was kept quiet' };
  const { note: said, ...planned } = await whomRuleTells(notice, desk.config, world);
  const note = said === undefined ? {} : { note: desk.redactor.text(said) };
  if ('reason' in planned) return { status: 'skipped', ...planned, ...note };
  return {
    status: 'ready',
    message: writeDigest(notice, { ...desk, receivers: planned.deliveries.length }),
    ...planned,
    ...note,
    threadKey: threadKey(
      { tenant, rule, ...(about ?? onlySession(suppressed)) },
      about?.event ?? `digest ${label ?? ''}`,
    ),
    giveUpAfterMs: desk.config.notify.retry.giveUpAfterMs,
  };
}

/** A cooldown that began while its rule told nobody does not know what it began with: most often it is what it kept quiet. */
function onlySession({ sessions, moreSessions }: DigestNotice['suppressed']): { session?: string } {
  const [session, ...others] = moreSessions > 0 ? [] : sessions;
  return session !== undefined && others.length === 0 ? { session } : {};
}

async function whomRuleTells(
  notice: DigestNotice,
  config: MeshConfig,
  { rulesets, workflows }: NoticeWorld,
): Promise<{ deliveries: PlannedDelivery[]; note?: string } | { reason: string; note?: string }> {
  const { tenant, rule: id, about } = notice;
  const loaded = await rulesets.get(tenant);
  // Tried again until they can be had: what was kept quiet is known to nobody else any more.
  if (!loaded.available) throw new Error(`the rules cannot be read: ${loaded.problems.join('; ')}`);
  const { ruleset } = loaded;
  const rule = ruleset.rules.find((one) => one.id === id);
  // As when it matches: a rule on trial tells nobody anything.
  if (rule && !(ruleset.enabled && rule.enabled && rule.mode === 'enforce')) {
    return { reason: `rule ${id} is switched off` };
  }
  const actions = tellingActions(rule);
  if (actions.length === 0) return { reason: `rule ${id} tells nobody any more` };
  const told = await thatHaveTold(actions, notice, workflows);
  if (told.length === 0) return { reason: `rule ${id} told nobody when it fired` };

  const chosen = told.map(({ teamName, recipients }) => ({
    team: chooseTeam(config, { byAction: teamName, byEvent: about?.team }),
    recipients,
  }));
  const reasons = chosen.flatMap(({ team }) => ('reason' in team ? [team.reason] : []));
  const passedOver = chosen.flatMap(({ team }) => ('note' in team && team.note !== undefined ? [team.note] : []));
  const plans = chosen.flatMap(({ team, recipients }) =>
    'reason' in team ? [] : [planDeliveries(team, { recipients, isDigest: true })],
  );
  const all = namedApart(plans.flatMap((plan) => plan.deliveries));
  const deliveries = all.slice(0, MAX_RECEIVERS);
  const tooMany = `${all.length - MAX_RECEIVERS} more are not told: a message has ${MAX_RECEIVERS} deliveries at most`;
  const left = [...new Set([...passedOver, ...plans.flatMap(({ note }) => note ?? [])])];
  if (all.length > MAX_RECEIVERS) left.push(tooMany);
  const [reason = 'No eligible recipients for notify_team action'] = reasons;
  if (deliveries.length === 0) return { reason, ...(left.length > 0 && { note: left.join('; ') }) };
  const notes = [...left, ...reasons];
  return { deliveries, ...(notes.length > 0 && { note: notes.join('; ') }) };
}

type Telling = Extract<Action, { type: 'notify_team' }> & { name: string };

function tellingActions(rule: Rule | undefined): Telling[] {
  const actions = rule?.actions ?? [];
  return actions.flatMap((action, index) =>
    action.type === 'notify_team' && action.enabled ? [{ ...action, name: actionName(action, index) }] : [],
  );
}

/**
 * One with `onlyIf` may not have run, and whoever was not told of the first does not want to hear of the others. When nobody
 * knows any more, all are told: better once too often than never.
 */
async function thatHaveTold(
  actions: Telling[],
  { tenant, rule, about }: DigestNotice,
  workflows: NoticeWorld['workflows'],
): Promise<Telling[]> {
  if (about?.event === undefined || actions.every(({ onlyIf }) => onlyIf === undefined)) return actions;
  const told = await workflows.toldBy(remediationId(tenant, rule, about.event));
  return told === undefined
    ? actions
    : actions.filter(({ name, onlyIf }) => onlyIf === undefined || told.includes(name));
}

/** Two actions may tell the same people, once; and two teams may have a channel and a member of the same names. */
function namedApart(deliveries: PlannedDelivery[]): PlannedDelivery[] {
  const byPlace = new Map(deliveries.map((one) => [JSON.stringify([one.team, one.channel, one.recipient]), one]));
  const distinct = [...byPlace.values()];
  const isTaken = ({ delivery }: PlannedDelivery) => distinct.filter((one) => one.delivery === delivery).length > 1;
  return distinct.map((one) => (isTaken(one) ? { ...one, delivery: `${one.delivery} (${one.team})` } : one));
}

/** Goes where the alert was opened, and nowhere else: whoever got a mail is not woken by good news. */
function resolved(notice: ResolveNotice, desk: WritingDesk): NotificationDraft {
  const { team: teamName, channel, key, remediation } = notice.alert;
  const team = chooseTeam(desk.config, { byAction: teamName });
  if ('reason' in team) return { status: 'skipped', reason: team.reason };
  const deliveries = planDeliveries(onlyChannel(team, channel), {}).deliveries.map((one) => ({ ...one, closes: key }));
  if (deliveries.length === 0)
    return { status: 'skipped', reason: `team ${teamName} has no channel ${channel} any more` };
  return {
    status: 'ready',
    message: writeResolved(notice, desk),
    deliveries,
    threadKey: threadKey(notice.alert, remediation),
    giveUpAfterMs: desk.config.notify.retry.giveUpAfterMs,
  };
}

function onlyChannel({ name, team }: ChosenTeam, channel: string): ChosenTeam {
  return { name, team: { ...team, channels: team.channels.filter((one) => one.name === channel) } };
}
