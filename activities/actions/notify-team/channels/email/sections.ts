import type { NotificationMessage } from '#contract/notification.js';
import { whatNext } from '../../message/what-next.js';
import { STYLE, toneOfState } from './html-style.js';
import { asWritten, html, type Html } from './html.js';
import { saidState, shownError, tellCommand } from '../../message/words-of-message.js';

/** Mail programs cut what is longer than about 100 KB, and a character may take six. The text part has it all. */
const MAX_BODY_CHARS = 8_000;

/** Whoever is woken reads from the top, and stops when they know enough. */
export function sectionsOf(message: NotificationMessage): Html[] {
  return [
    ...body(message),
    ...error(message),
    ...did(message),
    ...next(message),
    ...links(message),
    ...facts(message),
    ...commands(message),
    ...payload(message),
  ];
}

/** The default body says what the sections below it say. */
function body({ body, bodyRepeatsFacts }: NotificationMessage): Html[] {
  if (bodyRepeatsFacts === true) return [];
  const isCut = body.length > MAX_BODY_CHARS;
  const shown = isCut
    ? `${body.slice(0, MAX_BODY_CHARS).toWellFormed()}… [the rest is in the plain text of this mail]`
    : body;
  return [html`<div style="${STYLE.body}">${shown}</div>`];
}

function error(message: NotificationMessage): Html[] {
  const error = shownError(message);
  if (error === undefined) return [];
  return [
    html`${heading('What went wrong')}
      <div class="error" style="${STYLE.error}">${error}</div>`,
  ];
}

function did({ kind, did }: NotificationMessage): Html[] {
  if (kind !== 'remediation') return [];
  if (did.length === 0) return [titled('What the mesh did', 'Nothing before this message: it is the first action.')];
  const steps = did.map(({ action, type, state, text }) => {
    const { colour, name } = toneOfState(state);
    const said = text === undefined ? html`` : html`<div class="dim" style="${STYLE.said}">${text}</div>`;
    const kind = action.startsWith(type) ? html`` : html` <span class="dim" style="color:#616e7c">${type}</span>`;
    return html`<tr>
        <td class="step" style="${STYLE.step};border-left:3px solid ${colour}">
          <b>${action}</b>${kind}
          <b class="${name}" style="color:${colour};white-space:nowrap">${saidState(state)}</b>${said}
        </td>
      </tr>
      <tr>
        <td style="height:6px;font-size:0;line-height:6px">&nbsp;</td>
      </tr>`;
  });
  return [html`${heading('What the mesh did')}${table(steps)}`];
}

function next(message: NotificationMessage): Html[] {
  const lines = whatNext(message);
  return lines.length === 0 ? [] : [titled('What happens next', lines.join('\n'))];
}

/** The only addresses in a mail: they begin with what the operator configured. */
function links({ links }: NotificationMessage): Html[] {
  return links.map(
    ({ text, url }) => html`<a class="button" href="${asWritten(url)}" style="${STYLE.button}">${text}</a>`,
  );
}

function facts({ facts }: NotificationMessage): Html[] {
  if (facts.length === 0) return [];
  const rows = facts.map(
    ({ label, value }) =>
      html`<tr>
        <td class="dim" style="${STYLE.label}">${label}</td>
        <td class="value" style="${STYLE.value}">${value}</td>
      </tr>`,
  );
  return [html`${heading('Details')}${table(rows)}`];
}

function commands({ commands }: NotificationMessage): Html[] {
  if (commands.length === 0) return [];
  // Those that end something last, where nobody takes them for the first thing to do.
  const ordered = [...commands].sort((one, other) => Number(one.ends === true) - Number(other.ends === true));
  const list = ordered.map(
    (one) =>
      html`<div class="dim" style="${STYLE.what}">${tellCommand(one)}</div>
        <div class="box" style="${STYLE.command}">${one.command}</div>`,
  );
  return [html`${heading('To act')}${list}`];
}

function payload({ payload }: NotificationMessage): Html[] {
  if (payload === undefined) return [];
  return [
    html`${heading('Payload of the event')}
      <div class="box" style="${STYLE.payload}">${payload}</div>`,
  ];
}

function titled(title: string, text: string): Html {
  return html`${heading(title)}
    <p style="${STYLE.paragraph}">${text}</p>`;
}

function heading(text: string): Html {
  return html`<h2 class="dim" style="${STYLE.heading}">${text}</h2>`;
}

function table(rows: Html[]): Html {
  return html`<table role="presentation" style="${STYLE.list}" width="100%" cellpadding="0" cellspacing="0" border="0">
    ${rows}
  </table>`;
}
