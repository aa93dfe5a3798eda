import ts from 'typescript';

/** JavaScript in which each function says, when it is entered, which file it is of and where it begins. */
export function instrument(path: string, code: string): string {
  const inserted: { at: number; text: string }[] = [];
  const source = ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  visit(source);
  return inserted
    .sort((a, b) => b.at - a.at)
    .reduce((text, { at, text: insertion }) => text.slice(0, at) + insertion + text.slice(at), code);

  function visit(node: ts.Node): void {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const body = node.body as ts.Node;
      const note = `globalThis.__entered?.(${JSON.stringify(path)}, ${node.getStart(source)})`;
      if (ts.isBlock(body)) inserted.push({ at: body.getStart(source) + 1, text: `${note};` });
      else inserted.push({ at: body.getStart(source), text: `(${note}, ` }, { at: body.getEnd(), text: ')' });
    }
    ts.forEachChild(node, visit);
  }
}
