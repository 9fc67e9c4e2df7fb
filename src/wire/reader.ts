// Takes a positional array apart, field by field, in the order of its positions. What comes out
// has the promised type and range; everything else is a DecodeError that names the field.

import { DecodeError, unexpected } from './decode-error.ts';

/** Reads one positional array. Every method takes the next position and may throw DecodeError. */
export class Reader {
  private readonly values: readonly unknown[];
  private readonly what: string;
  private at = 0;

  /** `what` names the array in messages. */
  constructor(value: unknown, what: string) {
    if (!Array.isArray(value)) throw unexpected(what, 'an array', value);
    this.values = value;
    this.what = what;
  }

  /** The field as it came, for nested arrays. */
  any(field: string): unknown {
    if (this.at >= this.values.length) throw unexpected(this.path(field), 'a value', undefined);
    return this.values[this.at++];
  }

  /** A whole number within [min, max], both below 2^53. */
  integer(field: string, min = 0, max: number = Number.MAX_SAFE_INTEGER): number {
    const value = this.any(field);
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) {
      return value + 0; // makes -0 a plain 0
    }
    throw unexpected(this.path(field), `a whole number from ${min} to ${max}`, value);
  }

  /** Null, or what `integer` gives. */
  integerOrNull(field: string, min = 0): number | null {
    return this.takeNull() ? null : this.integer(field, min);
  }

  text(field: string): string {
    const value = this.any(field);
    if (typeof value === 'string') return value;
    throw unexpected(this.path(field), 'a text', value);
  }

  textOrNull(field: string): string | null {
    return this.takeNull() ? null : this.text(field);
  }

  flag(field: string): boolean {
    const value = this.any(field);
    if (typeof value === 'boolean') return value;
    throw unexpected(this.path(field), 'true or false', value);
  }

  bytes(field: string): Uint8Array {
    const value = this.any(field);
    if (value instanceof Uint8Array) return value;
    throw unexpected(this.path(field), 'bytes', value);
  }

  /** One of the choices, sent as its position: a list of choices only ever grows at its end. */
  choice<const T extends string>(field: string, choices: readonly T[]): T {
    const value = this.any(field);
    const chosen = typeof value === 'number' ? choices[value] : undefined;
    if (chosen !== undefined) return chosen;
    throw unexpected(this.path(field), `a number for one of ${choices.join(', ')}`, value);
  }

  /** An array whose items are each read by `item`. */
  list<T>(field: string, item: (value: unknown, what: string) => T): T[] {
    const value = this.any(field);
    const what = this.path(field);
    if (!Array.isArray(value)) throw unexpected(what, 'an array', value);
    return value.map((each: unknown, at) => item(each, `${what}[${at}]`));
  }

  /** Null, or what `item` makes of the field. */
  nullable<T>(field: string, item: (value: unknown, what: string) => T): T | null {
    return this.takeNull() ? null : item(this.any(field), this.path(field));
  }

  /** All fields were read: what an older format lacks is not there. */
  isAtEnd(): boolean {
    return this.at === this.values.length;
  }

  /** The value, once all fields were read. Throws when the array has more. */
  done<T>(value: T): T {
    const extra = this.values.length - this.at;
    if (extra === 0) return value;
    throw new DecodeError(`${this.what}: expected ${this.at} fields, got ${this.values.length}`);
  }

  private takeNull(): boolean {
    if (this.values[this.at] !== null) return false;
    this.at++;
    return true;
  }

  private path(field: string): string {
    return `${this.what}.${field}`;
  }
}

/** An item that is a text. */
export function textItem(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw unexpected(what, 'a text', value);
}

/** The position of a choice, as `Reader.choice` expects it. */
export function choiceOf<const T extends string>(choices: readonly T[], chosen: T): number {
  return choices.indexOf(chosen);
}

/** An item that is a whole number from 0, below 2^53. */
export function wholeItem(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value + 0;
  throw unexpected(what, 'a whole number from 0', value);
}

/** An item that is a whole number from 0, or null. */
export function wholeOrNull(value: unknown, what: string): number | null {
  return value === null ? null : wholeItem(value, what);
}
