// Looks for the program that a child is to run, so that "not found" and "not executable" are told
// apart before anything starts, as shells do: 127 and 126.

import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { EXIT, Failure } from './exit-code.ts';

/**
 * Path of a program as execvp would find it: a name with a slash is a path, any other one is
 * looked up in `searchPath` (the form of PATH). Throws a Failure with exit code 127 when there is
 * none, 126 when there is one that may not be executed.
 */
export function findProgram(name: string, searchPath: string): string {
  const candidates = name.includes('/')
    ? [name]
    : searchPath.split(delimiter).map((directory) => join(directory || '.', name));
  const files = name === '' ? [] : candidates.filter(isThere);
  const program = files.find(isExecutable);
  if (program !== undefined) return program;
  if (files[0] === undefined) {
    throw new Failure(EXIT.notFound, `NOT_FOUND: there is no program ${JSON.stringify(name)}`);
  }
  throw new Failure(
    EXIT.notExecutable,
    `NOT_EXECUTABLE: ${JSON.stringify(files[0])} is not a program that may be executed`,
  );
}

/** As findProgram, but null when there is none. */
export function lookForProgram(name: string, searchPath: string): string | null {
  try {
    return findProgram(name, searchPath);
  } catch {
    return null;
  }
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function isExecutable(path: string): boolean {
  if (!statSync(path).isFile()) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
