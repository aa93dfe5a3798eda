import type { NotificationMessage } from '#contract/notification.js';

// How mails look. Written into every element, since mail programs drop style sheets; the sheet in the head is for those that
// keep it, and only makes dark mode better.

const FONT = 'font-family:-apple-system,BlinkMacSystemFont,Segoe UI,Roboto,Helvetica,Arial,sans-serif';
const MONO = 'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,Liberation Mono,monospace';
const BREAK = 'overflow-wrap:anywhere;word-break:break-word';

export const STYLE = {
  page: `margin:0;padding:0;background:#f3f4f6;color:#1f2933;${FONT}`,
  outer: 'width:100%;border-collapse:collapse;background:#f3f4f6',
  gutter: 'padding:16px 10px',
  card: 'width:100%;max-width:640px;border-collapse:separate;background:#ffffff;border:1px solid #d9dee5;border-radius:8px',
  head: `padding:18px 20px 14px;${FONT}`,
  kind: `font-size:12px;line-height:16px;letter-spacing:.06em;text-transform:uppercase;font-weight:700;${FONT}`,
  title: `margin:6px 0 0;font-size:20px;line-height:27px;font-weight:700;color:#111827;${FONT};${BREAK}`,
  lead: `margin:4px 0 0;font-size:14px;line-height:20px;color:#52606d;${FONT};${BREAK}`,
  late: `margin:10px 0 0;font-size:14px;line-height:20px;font-weight:700;color:#8a5a00;${FONT};${BREAK}`,
  prognosis: `margin:10px 0 0;font-size:16px;line-height:23px;font-weight:700;color:#111827;${FONT};${BREAK}`,
  section: `padding:0 20px 18px;font-size:15px;line-height:22px;color:#1f2933;${FONT}`,
  heading: `margin:0 0 6px;font-size:13px;line-height:18px;font-weight:700;color:#52606d;${FONT}`,
  paragraph: `margin:0;font-size:15px;line-height:22px;${BREAK}`,
  error: `padding:10px 12px;background:#fdf1f0;border-left:4px solid #c2321f;border-radius:4px;color:#611a15;font-size:13px;line-height:19px;white-space:pre-wrap;${MONO};${BREAK}`,
  body: `padding:0;white-space:pre-wrap;font-size:15px;line-height:22px;${BREAK}`,
  list: 'width:100%;border-collapse:collapse',
  step: `padding:8px 0 8px 12px;font-size:15px;line-height:21px;vertical-align:top;${FONT};${BREAK}`,
  said: `margin:3px 0 0;font-size:13px;line-height:19px;color:#52606d;white-space:pre-wrap;${BREAK}`,
  label: `padding:4px 14px 4px 0;width:92px;font-size:13px;line-height:20px;color:#616e7c;vertical-align:top;white-space:nowrap;${FONT}`,
  value: `padding:4px 0;font-size:14px;line-height:20px;vertical-align:top;${FONT};${BREAK}`,
  button: `display:inline-block;padding:11px 20px;background:#1f4e8c;border-radius:6px;color:#ffffff;font-size:15px;line-height:20px;font-weight:700;text-decoration:none;${FONT}`,
  what: `margin:0 0 2px;font-size:13px;line-height:18px;color:#52606d;${FONT}`,
  command: `margin:0 0 10px;padding:8px 10px;background:#f3f4f6;border:1px solid #e1e5ea;border-radius:4px;color:#1f2933;font-size:13px;line-height:19px;white-space:pre-wrap;${MONO};${BREAK}`,
  payload: `padding:10px 12px;background:#f3f4f6;border:1px solid #e1e5ea;border-radius:4px;color:#3e4c59;font-size:12px;line-height:17px;white-space:pre-wrap;${MONO};${BREAK}`,
  foot: `padding:14px 20px 16px;border-top:1px solid #e5e8ec;font-size:12px;line-height:17px;color:#616e7c;${FONT}`,
  hidden: 'display:none;max-height:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px;color:#f3f4f6',
} as const;

export const SHEET = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page,.outer{background:#14181d!important}
.card{background:#1d2329!important;border-color:#333c46!important}
.page,.title,.section,.value,.step{color:#e6eaef!important}
.dim{color:#a3b0bd!important}
.error{background:#3a1d1b!important;color:#ffd9d4!important;border-left-color:#f0705d!important}
.box{background:#14181d!important;border-color:#333c46!important;color:#d3dae2!important}
.foot{border-top-color:#333c46!important;color:#a3b0bd!important}
.button{background:#3b78c9!important}
.red{color:#f58a7a!important}.green{color:#6fce96!important}.blue{color:#83b4f3!important}.amber{color:#e3b341!important}
}
@media (max-width:480px){
.gutter{padding:0!important}
.card{border-radius:0!important;border-left:0!important;border-right:0!important}
.button{display:block!important;text-align:center!important}
}`;

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
