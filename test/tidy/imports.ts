// Imports go down only, and each npm package has one place (DESIGN.md §3).

import { posix } from 'node:path';
import ts from 'typescript';
import { eachNode, findingAt, type Finding, type Source } from './source.ts';

/** A folder (or the entry files `src/*.ts`) and its floor; an import goes to a lower one. */
const FLOORS: Readonly<Record<string, number>> = {
  'src/base': 0,
  'src/raft': 1,
  'src/locks': 2,
  'src/wire': 3,
  'src/ports': 3,
  'src/node': 4,
  'src/client': 4,
  'src/fence': 4,
  'src/adapters': 5,
  'src/server': 6,
  src: 6,
  'src/cli': 7,
};

const SIM_FLOOR_MAX = 4;

/** Where each npm package may be imported, besides test/ and scripts/. */
const PACKAGES: Readonly<Record<string, string>> = {
  msgpackr: 'src/wire',
  level: 'src/adapters',
  ws: 'src/adapters',
  hono: 'src/server',
  '@hono/node-server': 'src/server',
  zod: 'src/server',
  pino: 'src/server',
  'prom-client': 'src/server',
  commander: 'src/cli',
  'fast-check': 'sim',
};

const GUARDS = [
  'sim/world/guard.ts',
  'sim/api/globals',
  'test/sim/guard.test.ts',
  'test/sim-api/globals.test.ts',
  'test/sim-api/endings.test.ts',
  'test/sim-api/references.test.ts',
];

interface Import {
  readonly node: ts.Node;
  readonly specifier: string;
  /** `import type`: gone when the program runs. */
  readonly isTypeOnly: boolean;
}

/** Imports between floors, and to Node's modules from where they do not belong. */
export function floors(source: Source): readonly Finding[] {
  if (!/^(src|sim)\//.test(source.path)) return [];
  return importsOf(source).flatMap(({ node, specifier }) => {
    const message = floorProblem(source.path, specifier);
    return message === null ? [] : [findingAt(source, node, message)];
  });
}

/** Imports of npm packages outside of their place. */
export function packages(source: Source): readonly Finding[] {
  if (!/^(src|sim)\//.test(source.path)) return [];
  return importsOf(source).flatMap(({ node, specifier }) => {
    if (specifier.startsWith('.') || specifier.startsWith('node:')) return [];
    const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
    const place = PACKAGES[name];
    if (place !== undefined && source.path.startsWith(`${place}/`)) return [];
    const remedy =
      place === undefined
        ? `is not one of our packages: give it a place in test/tidy/imports.ts, and a reason`
        : `belongs in ${place}/ only: use what that folder exports`;
    return [findingAt(source, node, `the package ${name} ${remedy}`)];
  });
}

/** One finding for each circle of imports; imports of types alone make none. */
export function cycles(sources: readonly Source[]): readonly Finding[] {
  const graph = new Map(sources.map((source) => [source.path, targetsOf(source)]));
  const done = new Set<string>();
  const findings: Finding[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    const from = trail.indexOf(path);
    if (from !== -1) {
      const circle = [...trail.slice(from), path].join(' → ');
      findings.push({ path, line: 1, message: `imports itself: ${circle}; cut one of these` });
    }
    if (from !== -1 || done.has(path)) return;
    for (const target of graph.get(path) ?? []) walk(target, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) walk(path, []);
  return findings;
}

function targetsOf(source: Source): readonly string[] {
  return importsOf(source)
    .filter(({ specifier, isTypeOnly }) => specifier.startsWith('.') && !isTypeOnly)
    .map(({ specifier }) => resolve(source.path, specifier));
}

function floorProblem(path: string, specifier: string): string | null {
  const from = placeOf(path);
  if (specifier.startsWith('node:')) {
    const isPure = from === 'sim' ? path.startsWith('sim/world/') : (FLOORS[from] ?? 0) <= 4;
    return isPure && !isGuard(path) ? `${from} is pure: reach ${specifier} through a port` : null;
  }
  if (!specifier.startsWith('.')) return null;
  const to = placeOf(resolve(path, specifier));
  if (from === to) return null;
  // The command line offers simulations; they stand on floors 0 to 4, as below every command.
  if (from === 'src/cli' && to === 'sim') return null;
  const target = FLOORS[to];
  if (target === undefined) return `${from} must not import ${to}: it is not part of the product`;
  if (from === 'sim') {
    return target <= SIM_FLOOR_MAX ? null : `sim must not import ${to}: only floors 0 to 4`;
  }
  const floor = FLOORS[from] ?? 0;
  if (from === 'src/locks' && to === 'src/raft') return 'locks and raft do not know each other';
  if (target < floor || (floor === 6 && target === 6)) return null;
  return `${from} (floor ${floor}) must not import ${to} (floor ${target}): imports go down only`;
}

/** The guard of the simulator takes Node's ambient sources away, so it has to name them. */
export function isGuard(path: string): boolean {
  return GUARDS.some((guard) => path === guard || path.startsWith(`${guard}/`));
}

function placeOf(path: string): string {
  const [top = '', second] = path.split('/');
  if (top !== 'src') return top;
  return second === undefined || second.includes('.') ? 'src' : `src/${second}`;
}

function resolve(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier);
}

function importsOf(source: Source): readonly Import[] {
  const found: Import[] = [];
  eachNode(source, (node) => {
    const target = importTarget(node);
    if (target !== undefined && ts.isStringLiteral(target)) {
      found.push({ node, specifier: target.text, isTypeOnly: isTypeOnly(node) });
    }
  });
  return found;
}

function isTypeOnly(node: ts.Node): boolean {
  if (ts.isImportTypeNode(node)) return true;
  if (ts.isImportDeclaration(node)) {
    return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  }
  return ts.isExportDeclaration(node) && node.isTypeOnly;
}

function importTarget(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return node.argument.literal;
  }
  const isDynamic =
    ts.isCallExpression(node) &&
    (node.expression.kind === ts.SyntaxKind.ImportKeyword ||
      (ts.isIdentifier(node.expression) && node.expression.text === 'require'));
  return isDynamic ? node.arguments[0] : undefined;
}
