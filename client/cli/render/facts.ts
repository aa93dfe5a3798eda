import { textWidth } from '../terminal/text-width.js';
export { plural } from '#contract/text/words.js';

/** Lines such as "Rules    config/rules.yaml", with what is said in one column. A fact of several lines goes on below itself. */
export function renderFacts(
  facts: readonly (readonly [name: string, lines: string | string[] | undefined])[],
): string[] {
  const shown = facts.flatMap(([name, said]) => {
    const lines = said === undefined ? [] : [said].flat();
    return lines.length === 0 ? [] : [{ name, lines }];
  });
  const width = Math.max(0, ...shown.map(({ name }) => textWidth(name)));
  return shown.flatMap(({ name, lines }) =>
    lines.map((line, index) =>
      `${index === 0 ? name : ''}${' '.repeat(width - (index === 0 ? textWidth(name) : 0))}  ${line}`.trimEnd(),
    ),
  );
}

/** Sections with a blank line between them; those that have nothing to say are left out. */
export function renderSections(sections: readonly (string | readonly string[] | undefined)[]): string {
  return sections
    .map((section) => (section === undefined ? '' : [section].flat().join('\n')))
    .filter((section) => section !== '')
    .join('\n\n');
}

export function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`.trimEnd());
}
