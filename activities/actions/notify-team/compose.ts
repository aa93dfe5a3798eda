import type { ActionActivities } from '#contract/activities.js';
import { factsOf } from '#contract/facts.js';
import { loadConfig } from '../../load-config.js';
import { redactorOf } from '../../redactor-of.js';
import type { World } from '../../world.js';
import { chooseTeam } from './choose-team.js';
import { planDeliveries } from './plan-deliveries.js';
import { alertSubjectOf, threadKey } from './message/thread-key.js';
import { writeMessage } from './message/write-message.js';

type ComposeWorld = Pick<World, 'config' | 'redactKeys' | 'temporalUi' | 'temporal'>;

/** Finds out who is to be told, and writes the message once, so that everyone gets the same. */
export function makeComposeNotification(world: ComposeWorld): ActionActivities['composeNotification'] {
  return async (request) => {
    const config = await loadConfig(world.config);
    const { plan, remediation } = request;
    const { event } = remediation;
    const team = chooseTeam(config, { byAction: plan.teamName, byEvent: factsOf(event).team });
    const redactor = redactorOf(config, world.redactKeys);
    if ('reason' in team) {
      const { reason, hint } = team;
      return {
        status: 'skipped',
        reason: redactor.text(reason),
        ...(hint !== undefined && { note: redactor.text(hint) }),
      };
    }

    const alert = alertSubjectOf(remediation);
    const planned = planDeliveries(team, { recipients: plan.recipients, sender: event.agent, alert });
    const { deliveries } = planned;
    const notes = [team.note, planned.note].filter((one) => one !== undefined);
    const note = notes.length === 0 ? undefined : redactor.text(notes.join('; '));
    if (deliveries.length === 0) {
      const reason = 'No eligible recipients for notify_team action';
      return { status: 'skipped', reason, ...(note !== undefined && { note }) };
    }
    const desk = { config, redactor, world, nowMs: Date.now(), receivers: deliveries.length };
    return {
      status: 'ready',
      message: writeMessage(request, desk),
      deliveries,
      threadKey: threadKey(alert, event.id),
      ...(note !== undefined && { note }),
      giveUpAfterMs: config.notify.retry.giveUpAfterMs,
    };
  };
}
