// Reads rows that come from a disk or from another node: nothing in them is taken for granted.

import { describeValue } from '../base/error.ts';
import { utf8Length } from '../base/name.ts';
import type { Row, RowValue } from './machine-types.ts';

const NUMBER_DIGITS = 14;
const NUMBER = /^[0-9a-f]{14}$/;

/** A row that makes no sense, or rows that contradict each other: what was expected, what came. */
export class RowError extends Error {
  override readonly name = 'RowError';
}

/** The error for a row. `came` says what is wrong with it, or who is there already. */
export function rowError(key: string, expected: string, came: string): RowError {
  return new RowError(`row ${JSON.stringify(key)}: expected ${expected}, got ${came}`);
}

/** Reads a positional value from front to back; every method throws RowError. */
export class RowReader {
  readonly key: string;
  private readonly parts: readonly RowValue[];
  private at = 0;

  constructor({ key, value }: Row, what = 'its value') {
    this.key = key;
    if (!isList(value)) throw rowError(key, `${what} as a list`, describeValue(value));
    this.parts = value;
  }

  get isAtEnd(): boolean {
    return this.at >= this.parts.length;
  }

  /** A whole number from `min` to `max`, which is 2^53 - 1 unless given. */
  whole(what: string, min: number, max = Number.MAX_SAFE_INTEGER): number {
    const value = this.next();
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) {
      return value;
    }
    throw this.wrong(`${what} from ${min} to ${max}`, value);
  }

  wholeOrNull(what: string, min: number, max?: number): number | null {
    return this.takeNull() ? null : this.whole(what, min, max);
  }

  /** Well-formed Unicode. */
  text(what: string): string {
    const value = this.next();
    if (typeof value === 'string' && utf8Length(value) !== -1) return value;
    throw this.wrong(`${what} as a well-formed text`, value);
  }

  textOrNull(what: string): string | null {
    return this.takeNull() ? null : this.text(what);
  }

  choice<T extends string>(what: string, choices: readonly T[]): T {
    const value = this.next();
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    throw this.wrong(`${what}, one of ${choices.join(', ')}`, value);
  }

  flag(what: string): boolean {
    const value = this.next();
    if (typeof value === 'boolean') return value;
    throw this.wrong(`${what} as true or false`, value);
  }

  /** What stands here, read as a list of its own. */
  list(what: string): RowReader {
    return new RowReader({ key: this.key, value: this.next() }, what);
  }

  listOrNull(what: string): RowReader | null {
    return this.takeNull() ? null : this.list(what);
  }

  /** All that are left, each read by `read`. */
  rest<T>(read: (reader: this) => T): readonly T[] {
    const all: T[] = [];
    while (!this.isAtEnd) all.push(read(this));
    return all;
  }

  /** The result, once nothing is left. */
  done<T>(result: T): T {
    if (this.isAtEnd) return result;
    throw rowError(this.key, `a list of ${this.at}`, `one of ${this.parts.length}`);
  }

  private takeNull(): boolean {
    if (this.isAtEnd || this.parts[this.at] !== null) return false;
    this.at++;
    return true;
  }

  private next(): RowValue {
    const value = this.parts[this.at];
    if (value === undefined) {
      throw rowError(this.key, `a list of more than ${this.at}`, `one of ${this.parts.length}`);
    }
    this.at++;
    return value;
  }

  private wrong(expected: string, value: RowValue): RowError {
    return rowError(this.key, expected, describeValue(value));
  }
}

/** Reads the numbers and texts that a key is made of, each followed by a slash or the end. */
export class KeyReader {
  private readonly key: string;
  private at: number;

  constructor(key: string, from: number) {
    this.key = key;
    this.at = from;
  }

  get isAtEnd(): boolean {
    return this.at >= this.key.length;
  }

  /** A number as keyNumber writes it, at least `min`. Throws RowError. */
  number(what: string, min: number): number {
    const digits = this.key.slice(this.at, this.at + NUMBER_DIGITS);
    const value = NUMBER.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
    this.at += NUMBER_DIGITS;
    const isWhole = Number.isSafeInteger(value) && value >= min && this.takeSlash();
    if (isWhole) return value;
    throw rowError(this.key, `${what} in ${NUMBER_DIGITS} hex digits`, JSON.stringify(digits));
  }

  /** The letter of a kind. */
  letter(): string {
    const letter = this.key.charAt(this.at++);
    return this.takeSlash() ? letter : '';
  }

  /** All that is left. */
  rest(): string {
    const rest = this.key.slice(this.at);
    this.at = this.key.length;
    return rest;
  }

  private takeSlash(): boolean {
    if (this.at === this.key.length) return true;
    return this.key.charAt(this.at++) === '/';
  }
}

function isList(value: RowValue): value is readonly RowValue[] {
  return Array.isArray(value);
}
