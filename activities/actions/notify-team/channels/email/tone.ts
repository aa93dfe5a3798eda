import type { NotificationMessage } from '#contract/notification.js';

/** A colour, and the class by which dark mode finds it. Words say the same beside it, for those who see no colours. */
export interface Tone {
  colour: string;
  name: 'red' | 'green' | 'blue' | 'amber' | 'dim';
}

const RED: Tone = { colour: '#b42318', name: 'red' };
const GREEN: Tone = { colour: '#2b7a4b', name: 'green' };
const BLUE: Tone = { colour: '#1f4e8c', name: 'blue' };
const AMBER: Tone = { colour: '#8a5a00', name: 'amber' };
const DIM: Tone = { colour: '#616e7c', name: 'dim' };

/** Of a whole mail. */
export function toneOf({ kind, outcome }: NotificationMessage): Tone {
  if (kind === 'digest') return AMBER;
  if (kind === 'resolved' || outcome === 'success') return GREEN;
  return outcome === 'unknown' ? DIM : RED;
}

const BY_STATE: Record<string, Tone> = { failed: RED, executed: GREEN, running: BLUE, aborted: AMBER };

/** Of one action in it. */
export function toneOfState(state: string): Tone {
  return BY_STATE[state] ?? DIM;
}
