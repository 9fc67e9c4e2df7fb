import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** A file of the repository, with its syntax tree when it is code. */
export interface Source {
  /** Relative to the repository's root, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly ast: ts.SourceFile;
}

/** A place that breaks a rule. `line` counts from 1. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  /** What is wrong and what to do instead. */
  readonly message: string;
}

/** Looks at one file. */
export type Rule = (source: Source) => readonly Finding[];

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CODE_FOLDERS = ['src', 'sim', 'test', 'scripts', 'bench'];
const TEXT_FOLDERS = [...CODE_FOLDERS, 'docs', 'examples', '.ci'];
const CODE_ENDINGS = ['.ts', '.cts', '.mts', '.mjs', '.js'];
const TEXT_ENDINGS = [...CODE_ENDINGS, '.md', '.json', '.html', '.css', '.sh', ''];

/** A file from its text; for samples too. */
export function sourceOf(path: string, text: string): Source {
  const ast = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return { path, text, ast };
}

/** All code that we write. */
export function codeSources(): readonly Source[] {
  return filesOf(CODE_FOLDERS, CODE_ENDINGS);
}

/** All text that we write, code too. */
export function textSources(): readonly Source[] {
  return filesOf(TEXT_FOLDERS, TEXT_ENDINGS);
}

/** Visits every node of the file. */
export function eachNode(source: Source, visit: (node: ts.Node) => void): void {
  const walk = (node: ts.Node): void => {
    visit(node);
    ts.forEachChild(node, walk);
  };
  walk(source.ast);
}

/** The finding for a node. */
export function findingAt(source: Source, node: ts.Node, message: string): Finding {
  return { path: source.path, line: lineOf(source, node.getStart(source.ast)), message };
}

/** Line number, from 1, of a position in the file. */
export function lineOf(source: Source, position: number): number {
  return source.ast.getLineAndCharacterOfPosition(position).line + 1;
}

/** How a finding is shown: `file:line message`. */
export function show(finding: Finding): string {
  return `${finding.path}:${finding.line} ${finding.message}`;
}

function filesOf(folders: readonly string[], endings: readonly string[]): readonly Source[] {
  const inFolders = folders
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
        join(folder, path),
      ),
    );
  const atRoot = readdirSync(ROOT, { withFileTypes: true })
    .filter((each) => each.isFile() && !each.name.startsWith('.git'))
    .map((each) => each.name);
  return [...atRoot, ...inFolders]
    .map((path) => path.split(sep).join('/'))
    .filter((path) => endings.includes(extname(path)) && statSync(join(ROOT, path)).isFile())
    .map((path) => sourceOf(path, readFileSync(join(ROOT, path), 'utf8')));
}
