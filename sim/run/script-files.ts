// Scripts in files: the corpus, and what campaigns found.

import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Hasher } from '../../src/base/hash.ts';
import { readScript } from '../script/check.ts';
import { EXIT, Failure, firstLine } from './command.ts';
import { GENERATED_TESTS_CONFIG, generatedTest } from './generated-test.ts';
import { corpusFolder, failuresFolder, repositoryRoot } from './places.ts';
import type { FoundFailure } from './protocol.ts';
import type { ScriptFile } from './types.ts';

/** Reads a script file; throws Failure with what is wrong with it. */
export function readScriptFile(path: string): ScriptFile {
  const value = parsed(path, textOf(path));
  if (!isRecord(value)) throw bad(path, 'not an object with about, violated and script');
  const { about, violated, script } = value;
  if (typeof about !== 'string') throw bad(path, 'about must be a sentence');
  if (violated !== null && typeof violated !== 'string') {
    throw bad(path, 'violated must be the name of a promise, or null');
  }
  try {
    return { about, violated, script: readScript(script) };
  } catch (error) {
    throw bad(path, error instanceof Error ? error.message : String(error));
  }
}

/** Paths of all scripts of the corpus, by name. */
export function corpusFiles(): readonly string[] {
  const names = readdirSync(corpusFolder()).filter((name) => name.endsWith('.json'));
  return names
    .sort((one, other) => (one < other ? -1 : 1))
    .map((name) => join(corpusFolder(), name));
}

/** Where a failure was written, as one would type it at the root of the repository. */
export interface FailurePaths {
  readonly scriptPath: string;
  readonly testPath: string;
  /** null: there is no page. */
  readonly pagePath: string | null;
}

/** How a failure is seen again, once it is written. */
export function replayOf(failure: Pick<FoundFailure, 'script' | 'violation'>): string {
  return `npm run sim -- replay ${shown(`${baseOf(failure)}.json`)}`;
}

/** Writes a failure, a test that shows it, and its page; the same one again to the same files. */
export function writeFailure({ script, violation, page }: FoundFailure): FailurePaths {
  const folder = failuresFolder();
  mkdirSync(folder, { recursive: true });
  const base = baseOf({ script, violation });
  const file: ScriptFile = {
    about: firstLine(violation.message),
    violated: violation.oracle,
    script,
  };
  writeFileSync(`${base}.json`, `${JSON.stringify(file, null, 2)}\n`);
  writeFileSync(`${base}.test.ts`, generatedTest(script, violation));
  writeFileSync(join(folder, 'vitest.config.js'), GENERATED_TESTS_CONFIG);
  if (page !== null) writeFileSync(`${base}.html`, page);
  return {
    scriptPath: shown(`${base}.json`),
    testPath: shown(`${base}.test.ts`),
    pagePath: page === null ? null : shown(`${base}.html`),
  };
}

/** A path as seen from the root of the repository. */
export function shown(path: string): string {
  return relative(repositoryRoot(), path);
}

function baseOf({ script, violation }: Pick<FoundFailure, 'script' | 'violation'>): string {
  const hash = new Hasher(0).text(JSON.stringify(script)).hex().slice(0, 8);
  return join(failuresFolder(), `${violation.oracle}-${hash}`.toLowerCase());
}

function textOf(path: string): string {
  if (!existsSync(path)) throw new Failure(EXIT.badFile, `${path}: there is no such file`);
  if (statSync(path).isDirectory()) {
    throw new Failure(EXIT.badFile, `${path} is a folder: name one of the scripts in it`);
  }
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw bad(path, error instanceof Error ? error.message : String(error));
  }
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw bad(path, `not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function bad(path: string, why: string): Failure {
  return new Failure(EXIT.badFile, `${path} is no script: ${why}`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
