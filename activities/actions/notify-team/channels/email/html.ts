import { visibleLines } from '#contract/text/plain-text.js';

/** A piece of markup. Only this file makes one, so that text never passes for markup. */
export class Html {
  constructor(readonly markup: string) {}
}

/** For what is written in this program and looks the same in every mail, such as a style sheet. Never for a text. */
export function fixed(markup: string): Html {
  return new Html(markup);
}

/** For attributes and the title, which no mail program looks through for addresses, and which hold no elements. */
export function asWritten(text: string): Html {
  return new Html(escape(visibleLines(text).join(' ')));
}

type Part = string | number | Html | readonly Html[];

/** Markup as written here; whatever is filled in is text, and is shown as what it is, unless it was made by `html` too. */
export function html(written: TemplateStringsArray, ...parts: Part[]): Html {
  const markup = written.map((piece, index) => piece + markupOf(parts[index] ?? ''));
  return new Html(markup.join(''));
}

function markupOf(part: Part): string {
  if (part instanceof Html) return part.markup;
  if (typeof part === 'object') return part.map(({ markup }) => markup).join('');
  return visibleLines(String(part)).map(escape).map(unlinked).join('<br>');
}

/** Mail programs make links of what looks like an address, also in what an event says. They look for it within one element. */
function unlinked(markup: string): string {
  return markup
    .replaceAll('://', '<span>:</span>//')
    .replace(/\bwww\./gi, (www) => `<span>${www.slice(0, -1)}</span>.`)
    .replace(AT_OR_DOT, '<span>$&</span>');
}

/** As within `someone@host` and `host.example`. File names are written like hosts; what is copied is the same either way. */
const AT_OR_DOT = /@|(?<=[\p{L}\p{N}_-])\.(?=\p{L}{2})/gu;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
