import { missingSecrets } from '#config/missing-secrets.js';
import type { ChannelConfig } from '#config/sections/teams.js';
import type { NotifyPlan } from '#contract/actions/notify-team/schema.js';
import { recipientEffectKey } from '#contract/ids.js';
import type { NotificationDraft, PlannedDelivery } from '#contract/notification.js';
import type { PreviewStep } from '#contract/preview.js';
import { formatProblem } from '#contract/text/problem.js';
import type { PreviewDesk, Previewer } from '../preview.js';
import { channelOf, findParcel } from './channels/index.js';
import { makeComposeNotification } from './compose.js';

type Draft = Extract<NotificationDraft, { status: 'ready' }>;

/** Every message, and whom it would reach. */
export const previewNotifyTeam: Previewer<NotifyPlan> = async (request, desk) => {
  const { config } = desk;
  const current = { available: true as const, value: config, hash: '', problems: [] };
  const compose = makeComposeNotification({ ...desk, config: { get: () => Promise.resolve(current) } });
  const draft = await compose(request);
  const notes = draft.note === undefined ? [] : [draft.note];
  if (draft.status === 'skipped') return { status: 'skipped', reason: draft.reason, steps: [], warnings: notes };
  const firsts = new Map(draft.deliveries.map(({ channel, delivery }) => [channel, delivery] as const).reverse());
  const steps = draft.deliveries.flatMap((planned) => {
    const like = firsts.get(planned.channel);
    return previewDelivery(planned, draft, request.plan, desk).map((step) =>
      like === undefined || like === planned.delivery ? step : { ...step, like },
    );
  });
  return { status: 'ready', steps, warnings: [...notes, ...(await warningsOf(draft, desk))] };
};

function previewDelivery(
  planned: PlannedDelivery,
  { message, threadKey }: Draft,
  { effectKey, timeoutMs, retry }: NotifyPlan,
  desk: PreviewDesk,
): PreviewStep[] {
  const { delivery } = planned;
  const request = {
    ...planned,
    effectKey: recipientEffectKey(effectKey, delivery),
    threadKey,
    message,
    timeoutMs,
    retry,
  };
  const parcel = findParcel(desk.config, request);
  if ('gone' in parcel) return [];
  const { destination, preview } = channelOf(parcel.channel).prepare(parcel);
  return [{ what: delivery, destination: destination + wayOf(parcel.channel, desk), parts: preview }];
}

/** Mails go through a server that is not part of the team. */
function wayOf({ type }: ChannelConfig, { config, mailFolder }: PreviewDesk): string {
  if (type !== 'email') return '';
  const { smtp } = config.notify;
  return smtp === undefined ? ` (a file in ${mailFolder})` : ` (mail server ${smtp})`;
}

/** Of each channel that is used, once, and of the mail server if there are mails. */
async function warningsOf({ deliveries }: Draft, { config, env }: PreviewDesk): Promise<string[]> {
  const here = { folder: config.folder, env };
  const [team = ''] = deliveries.map((one) => one.team);
  const used = new Set(deliveries.map(({ channel }) => channel));
  const channels = config.teams[team]?.channels ?? [];
  const checked = channels.flatMap((channel, index) =>
    used.has(channel.name) ? [missingSecrets(channel, ['teams', team, 'channels', index], here)] : [],
  );
  const isMail = channels.some(({ type, name }) => type === 'email' && used.has(name));
  if (isMail) checked.push(missingSecrets(config.notify.smtp, ['notify', 'smtp'], here));
  return (await Promise.all(checked)).flat().map(formatProblem);
}
