import ts from 'typescript';

/**
 * Everything a module offers whose type is `any`, wherever it hides: in a parameter, a result, a property, a type argument.
 * Looks into the types of one package only; what other packages declare is theirs.
 */
export function findAny(program: ts.Program, moduleFile: string, isOwn: (file: string) => boolean): string[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(moduleFile);
  const module = source && checker.getSymbolAtLocation(source);
  if (!source || !module) throw new Error(`${moduleFile} is not a module of the program`);
  const found: string[] = [];
  const seen = new Set<ts.Type>();

  for (const exported of checker.getExportsOfModule(module)) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    if (symbol.flags & ts.SymbolFlags.Value) look(checker.getTypeOfSymbol(symbol), exported.name);
    if (symbol.flags & ts.SymbolFlags.Type) look(checker.getDeclaredTypeOfSymbol(symbol), exported.name);
  }
  return found;

  function look(type: ts.Type, path: string): void {
    if (type.flags & ts.TypeFlags.Any) {
      found.push(path);
      return;
    }
    if (seen.has(type)) return;
    seen.add(type);
    if (type.isUnionOrIntersection()) for (const part of type.types) look(part, path);
    for (const argument of checker.getTypeArguments(type as ts.TypeReference)) look(argument, `${path}<>`);
    if (!isDeclaredHere(type)) return;
    for (const index of checker.getIndexInfosOfType(type)) look(index.type, `${path}[]`);
    for (const property of checker.getPropertiesOfType(type)) {
      if (isOwnSymbol(property)) look(checker.getTypeOfSymbol(property), `${path}.${property.name}`);
    }
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      for (const parameter of signature.parameters)
        look(checker.getTypeOfSymbol(parameter), `${path}(${parameter.name})`);
      look(signature.getReturnType(), `${path}()`);
    }
  }

  function isDeclaredHere(type: ts.Type): boolean {
    const symbol = type.aliasSymbol ?? type.symbol;
    return (symbol as ts.Symbol | undefined) !== undefined && isOwnSymbol(symbol);
  }

  function isOwnSymbol(symbol: ts.Symbol): boolean {
    return (symbol.declarations ?? []).some((declaration) => isOwn(declaration.getSourceFile().fileName));
  }
}
