import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';

/** What each room may import, in the order in which rooms are shown. `worker` wires everything. */
export const ARROWS: Record<string, string[]> = {
  contract: [],
  rules: ['contract'],
  workflows: ['contract', 'rules/guards'],
  adapters: ['contract'],
  activities: ['contract', 'rules', 'config', 'adapters'],
  config: ['contract', 'rules'],
  client: ['contract', 'rules', 'adapters'],
  worker: ['contract', 'rules', 'activities', 'adapters', 'config', 'client'],
};

export interface SourceFile {
  path: string;
  lines: number;
  imports: Import[];
}

export interface Import {
  path: string;
  /** Gone when the program runs. */
  isType: boolean;
}

/** The files of the rooms, `.ts` and `.mjs`, and which of our files each imports. */
export function readSources(root: string, paths: string[]): SourceFile[] {
  const known = new Set(paths.filter((path) => /\.(ts|mjs)$/.test(path) && Object.hasOwn(ARROWS, roomOf(path))));
  return [...known].sort().map((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    const imports = importsOf(path, text).flatMap(({ target, isType }) => {
      const found = resolveImport(path, target);
      return known.has(found) ? [{ path: found, isType }] : [];
    });
    return { path, lines: text.trimEnd().split('\n').length, imports };
  });
}

export function roomOf(path: string): string {
  return path.split('/')[0] ?? '';
}

function importsOf(path: string, text: string): { target: string; isType: boolean }[] {
  const found: { target: string; isType: boolean }[] = [];
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false));
  return found;

  function visit(node: ts.Node): void {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) add(node.moduleSpecifier, isOnlyTypes(node));
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(pathIn(node.arguments[0]), false);
    ts.forEachChild(node, visit);
  }

  function add(target: ts.Node | undefined, isType: boolean): void {
    if (target && ts.isStringLiteral(target)) found.push({ target: target.text, isType });
  }
}

function isOnlyTypes(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  const { importClause } = node;
  if (!importClause) return false;
  if (importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const { name, namedBindings } = importClause;
  if (name || !namedBindings || !ts.isNamedImports(namedBindings)) return false;
  return namedBindings.elements.length > 0 && namedBindings.elements.every(({ isTypeOnly }) => isTypeOnly);
}

/** `import('…')`, and `import(new URL('…', …).href)`, as plain JavaScript writes it. */
function pathIn(argument: ts.Expression | undefined): ts.Node | undefined {
  if (argument && ts.isPropertyAccessExpression(argument) && ts.isNewExpression(argument.expression))
    return argument.expression.arguments?.[0];
  return argument;
}

/** A path within the repository, as its source is called. */
function resolveImport(from: string, target: string): string {
  const path = target.startsWith('#')
    ? target.slice(1)
    : target.startsWith('.')
      ? posix.join(dirname(from), target)
      : from.endsWith('.mjs')
        ? target
        : '';
  return path.replace(/\.js$/, '.ts');
}
