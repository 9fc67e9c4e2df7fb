// One failing run as a file: with the same program it fails again.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { HoldfastError } from '../../src/base/error.ts';
import type { SimulationError } from '../api/error.ts';
import type { SimulateOptions } from '../api/types.ts';
import type { WorldFault } from './world-fault.ts';

/** Options of `simulate` that make a difference to what happens. */
export type WorldOptions = Omit<SimulateOptions, 'seed' | 'faults' | 'report' | 'console'>;

/** What the file holds. */
export interface ReplayFile {
  readonly version: 1;
  /** Of the exploration that found it; empty if it has none. */
  readonly name: string;
  readonly seed: number;
  readonly options: WorldOptions;
  readonly faults: readonly WorldFault[];
  /** What was drawn for the program, if it can be told as JSON. */
  readonly inputs?: unknown;
  /** What can not, in the serialization of node:v8. */
  readonly inputsEncoded?: string;
  readonly oracle: string;
  readonly message: string;
  readonly traceHash: string;
}

const FOLDER = '.holdfast';
const HASH_DIGITS = 8;

/** What is written about a failing run. */
export type Failing = Pick<ReplayFile, 'name' | 'seed' | 'options' | 'faults'> & {
  readonly inputs: unknown;
  readonly error: SimulationError;
};

/** Writes it; gives its path, from the working directory. */
export function writeReplay(failing: Failing, folder: string = FOLDER): string {
  const { name, seed, options, faults, inputs, error } = failing;
  const { oracle, message, traceHash } = error;
  const head = { version: 1, name, seed, options, faults } as const;
  const file: ReplayFile = { ...head, ...savedInputs(inputs), oracle, message, traceHash };
  const path = replayPath(error, folder);
  mkdirSync(resolve(folder), { recursive: true });
  writeFileSync(path, `${JSON.stringify(file, null, 2)}\n`);
  return relative('', path);
}

/** Where the file about a failure is, or will be. */
export function replayPath(
  { oracle, traceHash }: Pick<SimulationError, 'oracle' | 'traceHash'>,
  folder: string = FOLDER,
): string {
  return join(resolve(folder), `${oracle}-${traceHash.slice(0, HASH_DIGITS)}.json`);
}

/** How a failure of an exploration is seen again. */
export function replayText(path: string): string {
  return `HOLDFAST_REPLAY=${relative('', path)} and the same test`;
}

/** Throws HoldfastError INVALID when it is none. */
export function readReplay(path: string): ReplayFile {
  const file = parsed(path);
  if (isReplayFile(file)) return file;
  throw new HoldfastError('INVALID', `${path} is not a replay file of holdfast/sim`);
}

/** What was drawn for the program. */
export function inputsOf({ inputs, inputsEncoded }: ReplayFile): unknown {
  if (inputsEncoded === undefined) return inputs;
  return deserialize(Buffer.from(inputsEncoded, 'base64'));
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new HoldfastError('INVALID', `the replay file ${path} cannot be read`, { cause: error });
  }
}

function isReplayFile(file: unknown): file is ReplayFile {
  if (typeof file !== 'object' || file === null) return false;
  if (!('version' in file && 'seed' in file && 'faults' in file && 'oracle' in file)) return false;
  return file.version === 1 && typeof file.seed === 'number' && Array.isArray(file.faults);
}

function savedInputs(inputs: unknown): Pick<ReplayFile, 'inputs' | 'inputsEncoded'> {
  if (inputs === undefined) return {};
  const text = textOf(inputs);
  if (text !== null) {
    const copy: unknown = JSON.parse(text);
    // Objects that fast-check draws may be without a prototype: that makes no difference here.
    if (isDeepStrictEqual(copy, structuredCloneOf(inputs))) return { inputs: copy };
  }
  return { inputsEncoded: serialize(inputs).toString('base64') };
}

function textOf(inputs: unknown): string | null {
  try {
    return JSON.stringify(inputs) ?? null;
  } catch {
    return null;
  }
}

function structuredCloneOf(inputs: unknown): unknown {
  return deserialize(serialize(inputs));
}
