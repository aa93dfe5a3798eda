import type { MeshConfig } from '../../../config/mesh-config.js';
import type { NoticeActivities } from '../../../contract/activities.js';
import type { DigestNotice, ResolveNotice } from '../../../contract/notice.js';
import type { NotificationDraft, PlannedDelivery } from '../../../contract/notification.js';
import { loadConfig } from '../../load-config.js';
import { redactorOf } from '../../redactor-of.js';
import type { World } from '../../world.js';
import { type ChosenTeam, chooseTeam } from './choose-team.js';
import { planDeliveries } from './plan-deliveries.js';
import { threadKey } from './message/thread-key.js';
import { writeDigest, writeResolved } from './message/write-notice.js';
import type { WritingDesk } from './message/write-message.js';

type NoticeWorld = Pick<World, 'config' | 'rulesets' | 'redactKeys' | 'temporalUi' | 'temporal'>;

/** Writes a message that no single event brought about, and finds out who gets it. */
export function makeComposeNotice(world: NoticeWorld): NoticeActivities['composeNotice'] {
  return async (notice) => {
    const config = await loadConfig(world.config);
    const desk = { config, redactor: redactorOf(config, world.redactKeys), world, nowMs: Date.now() };
    return notice.kind === 'digest' ? digest(notice, desk, world) : resolved(notice, desk);
  };
}

/** Goes to everyone whom the rule tells when it fires, as far as that is known without an event. */
async function digest(notice: DigestNotice, desk: WritingDesk, world: NoticeWorld): Promise<NotificationDraft> {
  const { tenant, rule, suppressed, label } = notice;
  if (suppressed.events === 0) return { status: 'skipped', reason: 'nothing was kept quiet' };
  const planned = await whomRuleTells(notice, desk.config, world);
  if ('reason' in planned) return { status: 'skipped', ...planned };
  const [session, ...others] = suppressed.moreSessions > 0 ? [] : suppressed.sessions;
  const about = { tenant, rule, ...(session !== undefined && others.length === 0 && { session }) };
  return {
    status: 'ready',
    message: writeDigest(notice, desk),
    ...planned,
    threadKey: threadKey(about, `digest ${label ?? ''}`),
    giveUpAfterMs: desk.config.notify.retry.giveUpAfterMs,
  };
}

async function whomRuleTells(
  { tenant, rule: id }: DigestNotice,
  config: MeshConfig,
  { rulesets }: NoticeWorld,
): Promise<{ deliveries: PlannedDelivery[]; note?: string } | { reason: string; note?: string }> {
  const loaded = await rulesets.get(tenant);
  // Tried again until they can be had: what was kept quiet is known to nobody else any more.
  if (!loaded.available) throw new Error(`the rules cannot be read: ${loaded.problems.join('; ')}`);
  const rule = loaded.ruleset.rules.find((one) => one.id === id);
  const actions = rule?.actions.flatMap((action) => (action.type === 'notify_team' && action.enabled ? [action] : []));
  if (!actions?.length) return { reason: `rule ${id} tells nobody any more` };

  const chosen = actions.map(({ teamName, recipients }) => ({
    team: chooseTeam(config, { byAction: teamName }),
    recipients,
  }));
  const reasons = chosen.flatMap(({ team }) => ('reason' in team ? [team.reason] : []));
  const plans = chosen.flatMap(({ team, recipients }) =>
    'reason' in team ? [] : [planDeliveries(team, { recipients, isDigest: true })],
  );
  const deliveries = namedApart(plans.flatMap((plan) => plan.deliveries));
  const left = [...new Set(plans.flatMap(({ note }) => note ?? []))];
  const [reason = 'No eligible recipients for notify_team action'] = reasons;
  if (deliveries.length === 0) return { reason, ...(left.length > 0 && { note: left.join('; ') }) };
  const notes = [...left, ...reasons];
  return { deliveries, ...(notes.length > 0 && { note: notes.join('; ') }) };
}

/** Two actions may tell the same people, once; and two teams may have a channel and a member of the same names. */
function namedApart(deliveries: PlannedDelivery[]): PlannedDelivery[] {
  const byPlace = new Map(deliveries.map((one) => [JSON.stringify([one.team, one.channel, one.recipient]), one]));
  const distinct = [...byPlace.values()];
  const isTaken = ({ delivery }: PlannedDelivery) => distinct.filter((one) => one.delivery === delivery).length > 1;
  return distinct.map((one) => (isTaken(one) ? { ...one, delivery: `${one.delivery} (${one.team})` } : one));
}

/** Goes where the incident was opened, and nowhere else: whoever got a mail is not woken by good news. */
function resolved(notice: ResolveNotice, desk: WritingDesk): NotificationDraft {
  const { team: teamName, channel, key, remediation } = notice.incident;
  const team = chooseTeam(desk.config, { byAction: teamName });
  if ('reason' in team) return { status: 'skipped', reason: team.reason };
  const deliveries = planDeliveries(onlyChannel(team, channel), {}).deliveries.map((one) => ({ ...one, closes: key }));
  if (deliveries.length === 0)
    return { status: 'skipped', reason: `team ${teamName} has no channel ${channel} any more` };
  return {
    status: 'ready',
    message: writeResolved(notice, desk),
    deliveries,
    threadKey: threadKey(notice.incident, remediation),
    giveUpAfterMs: desk.config.notify.retry.giveUpAfterMs,
  };
}

function onlyChannel({ name, team }: ChosenTeam, channel: string): ChosenTeam {
  return { name, team: { ...team, channels: team.channels.filter((one) => one.name === channel) } };
}
