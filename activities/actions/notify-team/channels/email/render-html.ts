import type { NotificationMessage } from '#contract/notification.js';
import { utcBeside } from '#contract/text/markdown.js';
import { SHEET, STYLE, toneOf } from './html-style.js';
import { asWritten, fixed, html, type Html } from './html.js';
import { sectionsOf } from './sections.js';
import { headline, tellLateness } from '../../message/words-of-message.js';

const MAX_PREHEADER_CHARS = 200;

/** Outlook for Windows knows no max-width. */
const MSO_OPEN = fixed('<!--[if mso]><table role="presentation" width="640" align="center"><tr><td><![endif]-->');
const MSO_CLOSE = fixed('<!--[if mso]></td></tr></table><![endif]-->');
const STYLE_SHEET = fixed(SHEET);

/**
 * The mail as people look at it: what broke, what the mesh did, what happens next, then how to look closer and how to act. One
 * table, no images, nothing loaded from anywhere, no address that is not the operator's own.
 */
export function renderHtml(message: NotificationMessage, why: string): string {
  const { colour } = toneOf(message);
  const sections = sectionsOf(message).map(
    (section) =>
      html`<tr>
        <td class="section" style="${STYLE.section}">${section}</td>
      </tr> `,
  );
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no" />
        <title>${asWritten(message.subject)}</title>
        <style>
          ${STYLE_SHEET}
        </style>
      </head>
      <body class="page" style="${STYLE.page}">
        <div style="${STYLE.hidden}">${preheader(message)}</div>
        <table
          role="presentation"
          class="outer"
          style="${STYLE.outer}"
          width="100%"
          cellpadding="0"
          cellspacing="0"
          border="0"
        >
          <tr>
            <td class="gutter" align="center" style="${STYLE.gutter}">
              ${MSO_OPEN}
              <table
                role="presentation"
                class="card"
                style="${STYLE.card}"
                width="100%"
                cellpadding="0"
                cellspacing="0"
                border="0"
              >
                <tr>
                  <td style="height:5px;font-size:0;line-height:5px;background:${colour}">&nbsp;</td>
                </tr>
                <tr>
                  <td style="${STYLE.head}">${heading(message)}</td>
                </tr>
                ${sections}
                <tr>
                  <td class="foot" style="${STYLE.foot}">${why}</td>
                </tr>
              </table>
              ${MSO_CLOSE}
            </td>
          </tr>
        </table>
      </body>
    </html> `.markup;
}

function heading(message: NotificationMessage): Html {
  const { colour, name } = toneOf(message);
  return html`<div class="${name}" style="${STYLE.kind};color:${colour}">${headline(message).join(' · ')}</div>
    <h1 class="title" style="${STYLE.title}">${message.subject}</h1>
    ${lead(message)}${late(message)}${prognosis(message)}`;
}

function late(message: NotificationMessage): Html {
  const told = tellLateness(message);
  return told === undefined ? html`` : html`<div class="amber" style="${STYLE.late}">${told}</div>`;
}

function prognosis({ prognosis }: NotificationMessage): Html {
  return prognosis === undefined ? html`` : html`<div class="title" style="${STYLE.prognosis}">${prognosis}</div>`;
}

/** What was at work, at one glance. */
const LEAD = ['Tool', 'Task'];

function lead({ facts, at, writtenAt, late }: NotificationMessage): Html {
  const values = facts.filter(({ label }) => LEAD.includes(label)).map(({ value }) => value);
  return html`<div class="dim" style="${STYLE.lead}">
    ${[...values, utcBeside(at, late?.sentAt ?? writtenAt)].join(' · ')}
  </div>`;
}

/** What lists of mails show beside the subject. */
function preheader({ error, body, bodyRepeatsFacts, subject, prognosis }: NotificationMessage): string {
  const text = bodyRepeatsFacts === true ? (error?.trim().split(/[\r\n]/, 1)[0] ?? prognosis ?? subject) : body;
  const parts = [text, ...(prognosis === undefined || prognosis === text ? [] : [prognosis])].map((part) =>
    part.trim(),
  );
  return parts.join(' · ').replace(/\s+/g, ' ').slice(0, MAX_PREHEADER_CHARS).toWellFormed();
}
