import ts from 'typescript';
import { eachNode, findingAt, lineOf, type Finding, type Source } from './source.ts';

const FILE_LINES_MAX = 300;
const FUNCTION_LINES_MAX = 60;
const COLUMNS_MAX = 100;
const TITLE_COLUMNS_MAX = 120;
const PARAMETERS_MAX = 4;

/** Files that are too long. */
export function fileLines(source: Source): readonly Finding[] {
  const lines = source.text.trimEnd().split('\n').length;
  if (lines <= FILE_LINES_MAX) return [];
  const message = `${lines} lines, at most ${FILE_LINES_MAX}: split the file by what it is about`;
  return [{ path: source.path, line: FILE_LINES_MAX + 1, message }];
}

/** Functions that are too long; one whose statements are tests is a list, not a function. */
export function functionLines(source: Source): readonly Finding[] {
  const findings: Finding[] = [];
  eachNode(source, (node) => {
    if (!isFunction(node) || node.body === undefined || isListOfTests(node.body)) return;
    const first = lineOf(source, node.getStart(source.ast));
    const lines = lineOf(source, node.end) - first + 1;
    if (lines <= FUNCTION_LINES_MAX) return;
    const message = `a function of ${lines} lines, at most ${FUNCTION_LINES_MAX}: name its parts`;
    findings.push(findingAt(source, node, message));
  });
  return findings;
}

/** Lines that are too wide. The title of a test is one sentence, and may be a little longer. */
export function columns(source: Source): readonly Finding[] {
  return source.text.split('\n').flatMap((text, at) => {
    const width = [...text].length;
    const max = /^ *(test|describe)\('/.test(text) ? TITLE_COLUMNS_MAX : COLUMNS_MAX;
    if (width <= max) return [];
    const message = `${width} columns, at most ${max}: break the line`;
    return [{ path: source.path, line: at + 1, message }];
  });
}

/** Functions with too many parameters. */
export function parameters(source: Source): readonly Finding[] {
  const findings: Finding[] = [];
  eachNode(source, (node) => {
    if (!isFunction(node)) return;
    const count = node.parameters.length;
    if (count <= PARAMETERS_MAX) return;
    const message = `${count} parameters, at most ${PARAMETERS_MAX}: take one options object`;
    findings.push(findingAt(source, node, message));
  });
  return findings;
}

type FunctionNode =
  | ts.FunctionDeclaration
  | ts.FunctionExpression
  | ts.ArrowFunction
  | ts.MethodDeclaration
  | ts.ConstructorDeclaration
  | ts.AccessorDeclaration;

function isFunction(node: ts.Node): node is FunctionNode {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    ts.isArrowFunction(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isConstructorDeclaration(node) ||
    ts.isAccessor(node)
  );
}

function isListOfTests(body: ts.Node): boolean {
  const statements = ts.isBlock(body) ? body.statements : [];
  return statements.some(
    (statement) =>
      ts.isExpressionStatement(statement) &&
      ts.isCallExpression(statement.expression) &&
      /^(test|describe)\b/.test(statement.expression.expression.getText()),
  );
}
