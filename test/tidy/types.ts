import ts from 'typescript';
import { eachNode, findingAt, type Finding, type Source } from './source.ts';

/** `any`, which turns the compiler off. */
export function anyTypes(source: Source): readonly Finding[] {
  return nodesWhere(
    source,
    (node) => node.kind === ts.SyntaxKind.AnyKeyword,
    'any: use unknown and narrow it, or a type parameter',
  );
}

/** `value!`, which claims without showing. */
export function nonNull(source: Source): readonly Finding[] {
  return nodesWhere(
    source,
    ts.isNonNullExpression,
    'a non-null "!": test the value, or use present() from base/assert.ts',
  );
}

/** `value as T`; `as const` is fine, and wire/ turns bytes into types. */
export function casts(source: Source): readonly Finding[] {
  if (source.path.startsWith('src/wire/')) return [];
  return nodesWhere(
    source,
    (node) =>
      (ts.isAsExpression(node) || ts.isTypeAssertionExpression(node)) &&
      node.type.getText(source.ast) !== 'const',
    'a cast with "as": use a type guard, satisfies, or a type parameter',
  );
}

/**
 * Exports of the product that do not say what they mean. A type may leave it to its members: what
 * its name says already need not be said again.
 */
export function exportDocs(source: Source): readonly Finding[] {
  if (!/^(src|sim)\//.test(source.path)) return [];
  const seen = new Set<string>();
  return source.ast.statements.flatMap((statement) => {
    if (!ts.canHaveModifiers(statement)) return [];
    const modifiers = ts.getModifiers(statement) ?? [];
    if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    const name = nameOf(statement);
    if (seen.has(name)) return []; // an overload: its first signature carries the comment
    seen.add(name);
    const hasDoc = isDocumented(statement) || (isType(statement) && hasDocumentedMember(statement));
    const message = `export ${name} without a doc comment: say meaning, units, ranges, errors`;
    return hasDoc ? [] : [findingAt(source, statement, message)];
  });
}

function isDocumented(node: ts.Node): boolean {
  return ts.getJSDocCommentsAndTags(node).length > 0;
}

function isType(node: ts.Node): boolean {
  return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
}

function hasDocumentedMember(node: ts.Node): boolean {
  return (
    ts.forEachChild(node, (child) => isDocumented(child) || hasDocumentedMember(child)) ?? false
  );
}

function nameOf(statement: ts.Statement): string {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map((each) => each.name.getText()).join(', ');
  }
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return (isNamed && statement.name?.text) || 'default';
}

function nodesWhere(
  source: Source,
  test: (node: ts.Node) => boolean,
  message: string,
): readonly Finding[] {
  const findings: Finding[] = [];
  eachNode(source, (node) => {
    if (test(node)) findings.push(findingAt(source, node, message));
  });
  return findings;
}
