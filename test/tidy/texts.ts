import ts from 'typescript';
import { isGuard } from './imports.ts';
import { eachNode, findingAt, lineOf, type Finding, type Source } from './source.ts';

// Written in two parts, so that these lines do not find themselves.
const UNDONE = new RegExp(
  `\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK'].join('|')})\\b`,
);
const PRIVATE = new RegExp(
  [
    '(?<![\\w.])/(' + 'work|home|root|Users)/\\w',
    'registry\\.' + 'npmjs|registry\\.' + 'yarnpkg|npm' + 'mirror|arti' + 'factory|verda' + 'ccio',
  ].join('|'),
);

/** Notes of things not done: they belong in the tracker. */
export function undone(source: Source): readonly Finding[] {
  return matches(source, UNDONE, 'a note of something undone: do it, or file an issue');
}

/** Paths of one machine and hosts of package registries. */
export function privatePlaces(source: Source): readonly Finding[] {
  return matches(source, PRIVATE, 'a path or host of one machine: nobody else has it');
}

/** Tests that wait for time instead of for what they want to see. */
export function sleeps(source: Source): readonly Finding[] {
  if (!source.path.endsWith('.test.ts') || isGuard(source.path)) return [];
  const message = 'a sleep: wait for the event itself, or poll in a helper that has a deadline';
  const findings: Finding[] = [];
  eachNode(source, (node) => {
    const isTimer = ts.isIdentifier(node) && /^set(Timeout|Interval|Immediate)$/.test(node.text);
    const isImport = ts.isStringLiteral(node) && /^(node:)?timers(\/promises)?$/.test(node.text);
    const isCall =
      ts.isCallExpression(node) && /^(sleep|delay|pauseMs)$/.test(node.expression.getText());
    if (isTimer || isImport || isCall) findings.push(findingAt(source, node, message));
  });
  return findings;
}

function matches(source: Source, pattern: RegExp, message: string): readonly Finding[] {
  return [...source.text.matchAll(new RegExp(pattern, 'g'))].map((match) => ({
    path: source.path,
    line: lineOf(source, match.index),
    message: `${match[0]}: ${message}`,
  }));
}
