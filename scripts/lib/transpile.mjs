// The product and the simulator as plain JavaScript, for runs in which speed counts: types are
// stripped file by file, nothing is checked. Files that did not change are left alone.

import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(import.meta.dirname, '../..');
const FOLDERS = ['src', 'sim'];

const compilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  rewriteRelativeImportExtensions: true,
  sourceMap: false,
  inlineSourceMap: false,
};

/** Part of every stamp: a change here makes all files anew. */
const RECIPE = `${ts.version} 1`;

async function sourceFiles() {
  const lists = await Promise.all(
    FOLDERS.map((folder) => readdir(join(root, folder), { recursive: true, withFileTypes: true })),
  );
  return lists
    .flat()
    .filter((entry) => entry.isFile() && /(?<!\.d)\.ts$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/** Whoever reads the file meanwhile, or writes it too, sees it whole. */
async function writeWhole(path, text) {
  const unfinished = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(unfinished, text);
  await rename(unfinished, path);
}

async function readStamps(path) {
  try {
    return new Map(Object.entries(JSON.parse(await readFile(path, 'utf8'))));
  } catch {
    return new Map();
  }
}

async function prepare(outDir) {
  await mkdir(outDir, { recursive: true });
  await writeWhole(join(outDir, 'package.json'), '{ "type": "module" }\n');
  const modules = join(outDir, 'node_modules');
  if (existsSync(modules)) return;
  await symlink(join(root, 'node_modules'), modules).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Plain JavaScript. Throws for what cannot be parsed: the compiler would mend it in silence. */
function transpile(file, text) {
  const options = { compilerOptions, fileName: file, reportDiagnostics: true };
  const { outputText, diagnostics = [] } = ts.transpileModule(text, options);
  const [first] = diagnostics;
  if (first === undefined) return outputText;
  const { line } = ts.getLineAndCharacterOfPosition(first.file, first.start);
  const message = ts.flattenDiagnosticMessageText(first.messageText, ' ');
  throw new Error(`${file}:${line + 1} cannot be compiled: ${message}`);
}

/**
 * Mirrors src/ and sim/ in `outDir`, .js for .ts. `patches` are texts that stand in for files,
 * named from the root of the repository: `src/raft/log.ts`.
 */
export async function transpileTree(outDir, { patches = new Map() } = {}) {
  await prepare(outDir);
  const stampsPath = join(outDir, 'stamps.json');
  const before = await readStamps(stampsPath);
  const stamps = {};
  const files = await sourceFiles();
  for (const file of patches.keys()) {
    if (!files.includes(file)) throw new Error(`there is no ${file} to patch`);
  }
  for (const file of files) {
    const patch = patches.get(file);
    const { mtimeMs, size } = await stat(join(root, file));
    const stamp = patch === undefined ? `${RECIPE} ${mtimeMs} ${size}` : 'patched';
    const target = join(outDir, file.replace(/\.ts$/, '.js'));
    stamps[file] = stamp;
    if (patch === undefined && before.get(file) === stamp && existsSync(target)) continue;
    const text = patch ?? (await readFile(join(root, file), 'utf8'));
    await writeWhole(target, transpile(file, text));
  }
  for (const file of before.keys()) {
    if (!(file in stamps)) await rm(join(outDir, file.replace(/\.ts$/, '.js')), { force: true });
  }
  await writeWhole(stampsPath, JSON.stringify(stamps));
}
