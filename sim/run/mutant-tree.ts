// The program with a mutant in it, as JavaScript in a folder of its own: hard links to the tree of
// the unchanged program, but for what it changes.

import { existsSync } from 'node:fs';
import { link, mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { filesOf, mutated } from '../mutants/catalogue.ts';
import type { Mutant } from '../mutants/types.ts';
import { EXIT, Failure } from './command.ts';
import { repositoryRoot } from './places.ts';

type TranspileTree = (
  folder: string,
  options?: { readonly patches: ReadonlyMap<string, string> },
) => Promise<void>;

/** Makes and removes such folders. */
export class MutantTrees {
  private readonly root: string;
  private readonly transpileTree: TranspileTree;

  private constructor(root: string, transpileTree: TranspileTree) {
    this.root = root;
    this.transpileTree = transpileTree;
  }

  /** Brings the tree of the unchanged program up to date. */
  static async prepare(): Promise<MutantTrees> {
    const root = repositoryRoot();
    const script = pathToFileURL(join(root, 'scripts', 'lib', 'transpile.mjs')).href;
    const { transpileTree }: { transpileTree: TranspileTree } = await import(script);
    const trees = new MutantTrees(root, transpileTree);
    await transpileTree(trees.plain);
    await sweep(trees.folder);
    return trees;
  }

  /** Throws a Failure that names the first of them that does not fit the source any more. */
  async check(mutants: readonly Mutant[]): Promise<void> {
    for (const mutant of mutants) await this.textsWith(mutant);
  }

  /** Makes the folder of a mutant; gives its path. */
  async plant(mutant: Mutant): Promise<string> {
    const folder = this.folderOf(mutant);
    const patches = await this.textsWith(mutant);
    await rm(folder, { recursive: true, force: true });
    await linkAll(this.plain, folder);
    await this.transpileTree(folder, { patches });
    return folder;
  }

  async remove(mutant: Mutant): Promise<void> {
    await rm(this.folderOf(mutant), { recursive: true, force: true });
  }

  /** The folder of the unchanged program. */
  get plain(): string {
    return join(this.root, '.cache', 'sim', 'tree');
  }

  // Of this process alone: two matrices may be measured at the same time.
  private folderOf({ id }: Mutant): string {
    return join(this.folder, `${id}-${process.pid}`);
  }

  private async textsWith(mutant: Mutant): Promise<ReadonlyMap<string, string>> {
    const texts = new Map<string, string>();
    for (const file of filesOf(mutant)) texts.set(file, await this.textWith(mutant, file));
    return texts;
  }

  private async textWith(mutant: Mutant, file: string): Promise<string> {
    const text = await readFile(join(this.root, file), 'utf8');
    try {
      return mutated(mutant, text, file);
    } catch (error) {
      throw new Failure(EXIT.internal, error instanceof Error ? error.message : String(error));
    }
  }

  private get folder(): string {
    return join(this.root, '.cache', 'sim', 'mutants');
  }
}

/** Removes the folders of processes that were killed before they could. */
export async function sweep(folder: string): Promise<void> {
  const names = existsSync(folder) ? await readdir(folder) : [];
  const stale = names.filter((name) => {
    const [, pid] = /-(\d+)$/.exec(name) ?? [];
    return pid !== undefined && !isAlive(Number(pid));
  });
  await Promise.all(stale.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // One that may not be asked lives.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function linkAll(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && /\.js(on)?$/.test(entry.name))
    .map((entry) => relative(from, join(entry.parentPath, entry.name)));
  for (const folder of new Set(files.map((file) => dirname(file)))) {
    await mkdir(join(to, folder), { recursive: true });
  }
  await Promise.all(files.map((file) => link(join(from, file), join(to, file))));
}
