import type { MeshActivities } from '#activities/index.js';
import type { NotifyPlan } from '#contract/actions/notify-team/schema.js';
import type { ActionRequest } from '#contract/activities.js';
import type { Notice } from '#contract/notice.js';
import type { DeliveryRequest, NotificationDraft } from '#contract/notification.js';
import type { Recorded, Told } from './recorded.js';

/** Stands between the workflows and the activities, and keeps what is asked. */
export function createRecorder() {
  const composed: ActionRequest<NotifyPlan>[] = [];
  const notices: Notice[] = [];
  const planned: string[] = [];
  const delivered: DeliveryRequest[] = [];
  const plan = (draft: NotificationDraft) => {
    if (draft.status === 'ready') planned.push(...draft.deliveries.map(({ delivery }) => delivery));
    return draft;
  };
  return {
    isAllDelivered: () => composed.length + notices.length === 4 && delivered.length === planned.length,
    wrap: (activities: MeshActivities): MeshActivities => ({
      ...activities,
      composeNotification: async (request) => {
        const draft = plan(await activities.composeNotification(request));
        composed.push(request);
        return draft;
      },
      composeNotice: async (notice) => {
        const draft = plan(await activities.composeNotice(notice));
        notices.push(notice);
        return draft;
      },
      deliverNotification: async (request) => {
        const report = await activities.deliverNotification(request);
        delivered.push(request);
        return report;
      },
    }),
    recorded(): Recorded {
      const [incident, hostile] = ['ci-runners-lost', 'deploy-failed'].map((rule) =>
        composed.find(({ remediation }) => remediation.rule === rule),
      );
      const digest = notices.find((notice) => notice.kind === 'digest');
      const resolved = notices.find((notice) => notice.kind === 'resolve');
      if (!incident || !hostile || !digest || !resolved) throw new Error('the story was not told to its end');
      const toldOf = (id: string) => deliveriesOf(delivered, id);
      return {
        incident: { asked: incident, deliveries: toldOf(incident.remediation.id) },
        hostile: { asked: hostile, deliveries: toldOf(hostile.remediation.id) },
        digest: { asked: digest, deliveries: toldOf(digest.id) },
        resolved: { asked: resolved, deliveries: toldOf(resolved.id) },
      };
    },
  };
}

/** In the order of their names: they were made side by side. */
function deliveriesOf(delivered: DeliveryRequest[], id: string): Told[] {
  return delivered
    .filter(({ effectKey }) => effectKey.startsWith(`${id}/`))
    .map(({ message: _message, ...told }) => told)
    .sort((one, other) => one.delivery.localeCompare(other.delivery));
}
