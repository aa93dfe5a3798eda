import { visibleLines } from '../../../../../contract/plain-text.js';

/** A piece of markup. Only this file makes one, so that text never passes for markup. */
export class Html {
  constructor(readonly markup: string) {}
}

/** For what is written in this program and looks the same in every mail, such as a style sheet. Never for a text. */
export function fixed(markup: string): Html {
  return new Html(markup);
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
  return visibleLines(String(part)).map(escape).join('<br>');
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
