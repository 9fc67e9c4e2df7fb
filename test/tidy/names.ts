// What may not be named where: ambient time, chance and I/O belong behind ports, and the order of
// things must not depend on the engine or the machine.

import ts from 'typescript';
import { isGuard } from './imports.ts';
import { eachNode, findingAt, type Finding, type Source } from './source.ts';

const PURE = /^src\/(base|raft|locks|wire|ports|node|client|fence)\//;
const WITHOUT_PROMISES = /^src\/(base|raft|locks|wire|ports|node)\//;

const TIMERS = [
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
];
const TIME_AND_CHANCE = ['Date', 'performance', 'crypto', ...TIMERS];
const AMBIENT = [...TIME_AND_CHANCE, 'process', 'Buffer', 'console', 'fetch', 'require', 'Intl'];
const ORDERLESS = ['WeakRef', 'FinalizationRegistry'];
const PROMISES = ['Promise', 'queueMicrotask'];

interface Ban {
  readonly places: RegExp;
  readonly names: readonly string[];
  readonly remedy: string;
}

const BANS: readonly Ban[] = [
  { places: PURE, names: AMBIENT, remedy: 'the floors 0 to 4 are pure: use a port' },
  { places: PURE, names: ORDERLESS, remedy: 'the garbage collector must not decide anything' },
  { places: WITHOUT_PROMISES, names: PROMISES, remedy: 'the host is synchronous: use a call-back' },
  { places: /^sim\//, names: TIME_AND_CHANCE, remedy: 'use the world: its clock and its random' },
  { places: /^sim\/world\//, names: ['process', 'Buffer'], remedy: 'the world is pure' },
];

/** What a file may name all the same, for the reason that it gives itself. */
const EXEMPT: Readonly<Record<string, readonly string[]>> = {
  'sim/world/world.ts': ['setImmediate'],
};

/** Global names where they are not allowed. */
export function bannedNames(source: Source): readonly Finding[] {
  const bans = BANS.filter(({ places }) => places.test(source.path));
  if (bans.length === 0 || isGuard(source.path) || source.path.endsWith('.d.ts')) return [];
  const own = namesDeclaredIn(source);
  const exempt = EXEMPT[source.path] ?? [];
  const findings: Finding[] = [];
  eachNode(source, (node) => {
    if (!ts.isIdentifier(node) || !isGlobalUse(node)) return;
    if (own.has(node.text) || exempt.includes(node.text)) return;
    for (const { names, remedy } of bans) {
      if (names.includes(node.text)) {
        findings.push(findingAt(source, node, `${node.text} is not allowed here: ${remedy}`));
      }
    }
  });
  return findings;
}

/** async, await and for await where the host must stay synchronous. */
export function asynchrony(source: Source): readonly Finding[] {
  if (!WITHOUT_PROMISES.test(source.path)) return [];
  return find(
    source,
    'async/await: the host is synchronous, use a call-back',
    (node) =>
      [ts.SyntaxKind.AsyncKeyword, ts.SyntaxKind.AwaitKeyword].includes(node.kind) ||
      ts.isAwaitExpression(node),
  );
}

/** Math.random and everything whose result depends on the machine's language. */
export function chanceAndLocale(source: Source): readonly Finding[] {
  if (!/^(src|sim)\//.test(source.path) || isGuard(source.path)) return [];
  const message = 'Math.random and locale functions: use the Random port, compare by code units';
  return find(source, message, (node) => {
    if (!ts.isPropertyAccessExpression(node)) return false;
    if (node.name.text === 'random') return node.expression.getText(source.ast) === 'Math';
    return /^(localeCompare|toLocale\w*)$/.test(node.name.text);
  });
}

/** for…in, which walks prototypes too, in an order of its own. */
export function forIn(source: Source): readonly Finding[] {
  return find(source, 'for…in: use for…of over Object.keys or entries', ts.isForInStatement);
}

/** sort() without a comparator orders numbers as texts. */
export function bareSort(source: Source): readonly Finding[] {
  const message = 'sort without a comparator compares as UTF-16 texts: pass one';
  return find(
    source,
    message,
    (node) =>
      ts.isCallExpression(node) &&
      node.arguments.length === 0 &&
      ts.isPropertyAccessExpression(node.expression) &&
      /^(sort|toSorted)$/.test(node.expression.name.text),
  );
}

/** State that all users of a module would share: `let`, `var`, and collections born empty. */
export function moduleState(source: Source): readonly Finding[] {
  if (!/^(src|sim)\//.test(source.path) || source.path.endsWith('.d.ts')) return [];
  const message = 'state of a module: keep it in an object that its user creates';
  return source.ast.statements.filter(ts.isVariableStatement).flatMap((statement) => {
    const list = statement.declarationList;
    const isConst = (list.flags & ts.NodeFlags.Const) !== 0;
    return list.declarations
      .filter(
        ({ type, initializer }) => !isConst || (isBornEmpty(initializer) && !isReadonly(type)),
      )
      .map((declaration) => findingAt(source, declaration, message));
  });
}

/** Parameters, variables and imports of the file, which hide a global of the same name. */
function namesDeclaredIn(source: Source): ReadonlySet<string> {
  const names = new Set<string>();
  eachNode(source, (node) => {
    const isDeclaration =
      ts.isParameter(node) ||
      ts.isVariableDeclaration(node) ||
      ts.isBindingElement(node) ||
      ts.isImportSpecifier(node);
    if (isDeclaration && ts.isIdentifier(node.name)) names.add(node.name.text);
  });
  return names;
}

function isBornEmpty(value: ts.Expression | undefined): boolean {
  if (value === undefined) return false;
  if (ts.isArrayLiteralExpression(value)) return value.elements.length === 0;
  if (!ts.isNewExpression(value)) return false;
  const isCollection = /^(Map|Set|WeakMap|WeakSet)$/.test(value.expression.getText());
  return isCollection && (value.arguments?.length ?? 0) === 0;
}

function isReadonly(type: ts.TypeNode | undefined): boolean {
  return /^(readonly\b|Readonly)/.test(type?.getText() ?? '');
}

/** True for a name that stands for itself: not a property, a key or the name of a declaration. */
function isGlobalUse(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) {
    return parent.expression.getText() === 'globalThis';
  }
  if (ts.isQualifiedName(parent)) return parent.left === node;
  const isKey =
    ts.isPropertyAssignment(parent) ||
    ts.isPropertySignature(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isMethodSignature(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isBindingElement(parent);
  if (isKey)
    return !(parent.name === node || ('propertyName' in parent && parent.propertyName === node));
  return !ts.isImportSpecifier(parent) && !ts.isExportSpecifier(parent);
}

function find(
  source: Source,
  message: string,
  test: (node: ts.Node) => boolean,
): readonly Finding[] {
  const findings: Finding[] = [];
  eachNode(source, (node) => {
    if (test(node)) findings.push(findingAt(source, node, message));
  });
  return findings;
}
