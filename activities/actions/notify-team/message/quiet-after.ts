import type { NotificationMessage } from '#contract/notification.js';
import type { RemediationInput, Repeats } from '#contract/remediation.js';

type Quiet = NotificationMessage['quiet'];

/** What stays quiet because the rule has fired: the rule for its cooldown, and equal events for theirs where that is longer. */
export function quietAfter({ rule, actions, quiet, repeats, isTry }: RemediationInput, nowMs: number): Quiet {
  const cooldown = quiet !== undefined && quiet.cooldownUntilAt > nowMs ? quiet : undefined;
  const cooling: Quiet = cooldown ? [{ what: ruleFor(rule, cooldown.label), untilAt: cooldown.cooldownUntilAt }] : [];
  // A try is past the guards, and arms none.
  if (repeats === undefined || isTry) return cooling;

  const coveredUntilAt = cooldown && isCovering(cooldown.label, repeats) ? cooldown.cooldownUntilAt : nowMs;
  // The longest first: the others are left out when there are many.
  const ends = [...new Set(repeats.until.map(({ untilAt }) => untilAt))].sort((one, other) => other - one);
  const repeating = ends
    .filter((untilAt) => untilAt > coveredUntilAt)
    .map((untilAt) => {
      const names = repeats.until.filter((one) => one.untilAt === untilAt).map(({ action }) => action);
      const some = `${names.length === 1 ? 'action' : 'actions'} ${names.join(', ')} of rule ${rule}`;
      const who = names.length === actions.length ? `rule ${rule}` : some;
      return { what: `${who} for ${equalEvents(repeats)}`, untilAt, onlyRepeats: true as const };
    });
  return [...cooling, ...repeating];
}

function ruleFor(rule: string, label: string | undefined): string {
  return label === undefined ? `rule ${rule}` : `rule ${rule} for ${label}`;
}

/** An event that is equal as a whole has the values of `cooldownBy` too; one that is equal in `dedupBy` may have others. */
function isCovering(label: string | undefined, { by }: Repeats): boolean {
  return label === undefined || by === undefined;
}

function equalEvents({ by }: Repeats): string {
  return by === undefined ? 'an event equal to this one' : `events of the same ${by.join(', ')}`;
}
