import { makeComposeNotification } from '#activities/actions/notify-team/compose.js';
import { makeComposeNotice } from '#activities/actions/notify-team/compose-notice.js';
import type { World } from '#activities/world.js';
import { parseMeshConfig } from '#config/mesh-config.js';
import { recipientEffectKey } from '#contract/ids.js';
import type { NotificationDraft } from '#contract/notification.js';
import { checkRuleset } from '#rules/parse-ruleset.js';
import type { Recorded, Told } from './recorded.js';
import { STABLE_SETTING } from './stable-story.js';
import { configOf, RULES } from './story.js';
import type { StoryMessage } from './write-messages.js';

/** Of a delivery, all that decides who gets it, and by what mail programs and receivers know it again. */
export type Addressed = Omit<Told, 'timeoutMs' | 'retry'>;

/** What would be delivered now if workflows asked for the same. */
export async function planAgain(recorded: Recorded): Promise<Record<StoryMessage, Addressed[]>> {
  const world = storyWorld();
  const [composeNotification, composeNotice] = [makeComposeNotification(world), makeComposeNotice(world)];
  const { incident, hostile, digest, resolved } = recorded;
  return {
    incident: addressed(await composeNotification(incident.asked), incident.asked.plan.effectKey),
    hostile: addressed(await composeNotification(hostile.asked), hostile.asked.plan.effectKey),
    digest: addressed(await composeNotice(digest.asked), digest.asked.id),
    resolved: addressed(await composeNotice(resolved.asked), resolved.asked.id),
  };
}

/** As the receivers of the recorded run were addressed. */
export function asRecorded({ incident, hostile, digest, resolved }: Recorded): Record<StoryMessage, Addressed[]> {
  const told = (deliveries: Told[]) => deliveries.map(({ timeoutMs: _, retry: __, ...rest }) => rest);
  return {
    incident: told(incident.deliveries),
    hostile: told(hostile.deliveries),
    digest: told(digest.deliveries),
    resolved: told(resolved.deliveries),
  };
}

function addressed(draft: NotificationDraft, effectKey: string): Addressed[] {
  if (draft.status === 'skipped') throw new Error(draft.reason);
  return draft.deliveries
    .map((planned) => ({
      ...planned,
      effectKey: recipientEffectKey(effectKey, planned.delivery),
      threadKey: draft.threadKey,
    }))
    .sort((one, other) => one.delivery.localeCompare(other.delivery));
}

function storyWorld(): Parameters<typeof makeComposeNotification>[0] & Parameters<typeof makeComposeNotice>[0] {
  const config = parseMeshConfig(JSON.stringify(configOf(STABLE_SETTING.places)), '/etc/mesh/mesh.yaml');
  const rules = checkRuleset(RULES);
  if (!config.ok || !rules.ok) throw new Error('the configuration of the story is not valid');
  const current = { available: true as const, hash: 'h', problems: [] };
  return {
    config: { get: () => Promise.resolve({ ...current, value: config.value }) },
    rulesets: {
      get: () => Promise.resolve({ ...current, ruleset: rules.ruleset, source: 'rules.json' }),
    } as unknown as World['rulesets'],
    redactKeys: [],
    // No rule of the story tells anybody only if something failed.
    workflows: {} as World['workflows'],
    temporalUi: undefined,
    temporal: { address: STABLE_SETTING.temporalAddress, namespace: 'default' },
  };
}
