// What the commands of the simulator have in common: options, exit codes, errors, output.

import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';

/** Exit codes, as those of the product (sysexits.h) where they mean the same. */
export const EXIT = { kept: 0, violated: 1, usage: 64, badFile: 65, internal: 70 } as const;

/** Ends a command with an exit code and one line on stderr. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** One command: its lines of help, its options, and what it does; it resolves with an exit code. */
export interface Command {
  readonly name: string;
  /** What follows the name: `FILE [--trace]`. */
  readonly usage: string;
  /** One sentence. */
  readonly summary: string;
  /** Lines about each option and whatever else one must know. */
  readonly help: readonly string[];
  readonly options: ParseArgsConfig['options'];
  readonly run: (given: Given) => Promise<number>;
}

/** What was given to a command. */
export class Given {
  readonly files: readonly string[];
  private readonly command: Command;
  private readonly values: Readonly<Record<string, unknown>>;

  constructor(command: Command, argv: readonly string[]) {
    this.command = command;
    const { values, positionals } = parse(command, argv);
    this.values = values;
    this.files = positionals;
  }

  has(name: string): boolean {
    return this.values[name] !== undefined && this.values[name] !== false;
  }

  /** A number from `least` to `most`; whole unless fractions make sense. */
  number(name: string, fallback: number, range: NumberRange): number {
    const value = this.values[name];
    if (value === undefined) return fallback;
    const { least, most, isWhole = true } = range;
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : NaN;
    const isRight = isWhole ? Number.isSafeInteger(number) : Number.isFinite(number);
    if (isRight && number >= least && number <= most) return number;
    const kind = isWhole ? 'a whole number' : 'a number';
    throw usage(`--${name} takes ${kind} from ${least} to ${most}, not "${String(value)}"`);
  }

  /** The only file. */
  file(): string {
    const [file, ...more] = this.files;
    if (file !== undefined && more.length === 0) return file;
    throw usage(`${this.command.name} takes one file: ${usageLine(this.command)}`);
  }

  /** For commands that take no files. */
  noFiles(): void {
    const [extra] = this.files;
    if (extra === undefined) return;
    throw usage(`unexpected "${extra}": ${usageLine(this.command)}`);
  }
}

/** What a number may be. */
export interface NumberRange {
  readonly least: number;
  readonly most: number;
  /** Default true. */
  readonly isWhole?: boolean;
}

/** Any 32 bits. */
export const U32: NumberRange = { least: 0, most: 0xffff_ffff };

/** A mistake in what was typed. */
export function usage(message: string): Failure {
  return new Failure(EXIT.usage, `USAGE: ${message}`);
}

/** How the command is typed. */
export function usageLine({ name, usage: rest }: Command): string {
  return `npm run sim -- ${name} ${rest}`.trimEnd();
}

/** The sentence of a message; what may follow is evidence. */
export function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? '';
}

/** Prints lines on stdout. */
export function print(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

/** Prints lines on stderr, for what is not a result. */
export function note(...lines: readonly string[]): void {
  process.stderr.write(lines.map((line) => `${line}\n`).join(''));
}

function parse(
  command: Command,
  argv: readonly string[],
): { values: Readonly<Record<string, unknown>>; positionals: readonly string[] } {
  const options = command.options ?? {};
  try {
    return parseArgs({ args: withNegatives(argv), options, allowPositionals: true, strict: true });
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    const known = Object.keys(options).map((name) => `--${name}`);
    const choice = known.length === 0 ? 'takes no options' : `takes ${known.join(', ')}`;
    const what = reason.charAt(0).toLowerCase() + reason.slice(1);
    throw usage(`${what}; ${command.name} ${choice}`);
  }
}

/** `--seed -1` as `--seed=-1`: then it is the number that is wrong, and is told its range. */
function withNegatives(argv: readonly string[]): string[] {
  const words: string[] = [];
  for (const word of argv) {
    const option = words.at(-1) ?? '';
    if (/^-[\d.]/.test(word) && /^--[a-z-]+$/.test(option))
      words.splice(-1, 1, `${option}=${word}`);
    else words.push(word);
  }
  return words;
}
