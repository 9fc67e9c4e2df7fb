// The package as its users get it: the files that npm would publish, unpacked into the
// node_modules/ of an empty project outside of the repository. What it depends on is linked from
// our own node_modules/: nothing comes from the network, and only what package.json names is there.

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of this repository. */
export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

/** What package.json says, as far as these tests ask. */
export interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
}

/** package.json as it is published. */
export const MANIFEST: Manifest = JSON.parse(
  readFileSync(join(REPOSITORY, 'package.json'), 'utf8'),
);

/** How a program ended. */
export interface Ending {
  readonly code: number | string;
  readonly output: string;
}

/** What `npm pack` wrote, in a folder of its own. */
export interface Tarball {
  readonly path: string;
  /** Of the packed file. */
  readonly bytes: number;
  readonly files: readonly string[];
  remove(): void;
}

/** An empty project that has installed the package. */
export interface Project {
  readonly folder: string;
  /** Where the package lies. */
  readonly installed: string;
  /** Writes a file of the project, and gives its path. */
  write(name: string, text: string): string;
  /** Runs Node.js in the project. */
  node(...words: readonly string[]): Promise<Ending>;
  remove(): void;
}

/** Runs a program to its end; `output` is all that it printed, its errors last. */
export function run(program: string, words: readonly string[], folder: string): Promise<Ending> {
  const options = { cwd: folder, shell: program === 'npm' && process.platform === 'win32' };
  return new Promise((resolve) => {
    execFile(program, [...words], options, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? (error === null ? 0 : 'killed'), output: stdout + stderr });
    });
  });
}

/** Packs what was built last. */
export async function pack(): Promise<Tarball> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-packed-'));
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const npm = process.env['npm_execpath'] ?? '';
  const isScript = /npm-cli\.c?js$/.test(npm);
  const { code, output } = isScript
    ? await run(process.execPath, [npm, ...words], REPOSITORY)
    : await run('npm', words, REPOSITORY);
  if (code !== 0) throw new Error(`npm pack: ${output}`);
  const packed: { filename: string; size: number; files: { path: string }[] }[] =
    JSON.parse(output);
  const [first] = packed;
  if (first === undefined) throw new Error(`npm pack packed nothing: ${output}`);
  return {
    path: join(folder, first.filename),
    bytes: first.size,
    files: first.files.map(({ path }) => path),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** Installs the tarball and, beside it, the packages named. */
export async function install(tarball: Tarball, packages: readonly string[]): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-project-'));
  const installed = join(folder, 'node_modules', 'holdfast');
  mkdirSync(installed, { recursive: true });
  const words = ['-xzf', tarball.path, '-C', installed, '--strip-components=1'];
  const unpacked = await run('tar', words, folder);
  if (unpacked.code !== 0) throw new Error(`tar: ${unpacked.output}`);
  for (const name of packages) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(REPOSITORY, 'node_modules', name), link, 'junction');
  }
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  return {
    folder,
    installed,
    write(name, text) {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
    node: (...words) => run(process.execPath, words, folder),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
