// Answers go to stdout, everything else to stderr. Written synchronously and without opening
// process.stdout: that would set a pipe that a child shares with us to non-blocking.

import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { openWithoutWaiting, writeNow } from '../adapters/output-file.ts';
import { errorJson, errorText } from './error-json.ts';

const STDOUT = 1;
const STDERR = 2;
const RETRY_MS = 2;
/** A note on a pipe or terminal that takes no more is given up after this many tries. */
const NOTE_TRIES = 25;

/** One line of an answer. False: nobody reads any more. */
export function printLine(line: string): boolean {
  return write(STDOUT, `${line}\n`);
}

/** An answer that has its own line ends. */
export function printText(text: string): void {
  write(STDOUT, text);
}

/** An answer for programs: one line of JSON. False: nobody reads any more. */
export function printJson(value: unknown): boolean {
  return printLine(JSON.stringify(value));
}

/** Rows below a header, in columns as wide as they need to be. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of [header, ...rows]) {
    printLine(
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

/** Something to know that is no answer. */
export function note(text: string): void {
  write(STDERR, `holdfast: ${text}\n`);
}

/** A line of stderr as it is, for others to copy. */
export function noteLine(line: string): void {
  write(STDERR, `${line}\n`);
}

/** How far something is, on a line of a terminal that the next one overwrites; '' ends it. */
export function noteProgress(text: string): void {
  if (isatty(STDERR)) write(STDERR, `\r\u001b[K${text === '' ? '' : `holdfast: ${text}`}`);
}

/** Text for stderr that has its own line ends. */
export function noteText(text: string): void {
  write(STDERR, text);
}

/** Whether an answer may have colours: on a terminal, unless NO_COLOR is set. */
export function hasColours(): boolean {
  return isColourful(STDOUT);
}

/** Why a command ended: one line if it is one problem, in red on a terminal unless NO_COLOR. */
export function printError(error: unknown): void {
  const [head = '', ...rest] = errorText(error).split('\n').map(visible);
  const text = `holdfast: ${[head, ...rest].join(rest.length === 1 ? ' ' : '\n  ')}`;
  write(STDERR, isColourful(STDERR) ? `\u001b[31m${text}\u001b[0m\n` : `${text}\n`);
}

/** Why a command ended, for programs: one line of JSON on stderr. */
export function printErrorJson(error: unknown): void {
  noteLine(JSON.stringify(errorJson(error)));
}

/**
 * Text from others on one line: what a terminal would act on is shown as an escape instead.
 */
export function visible(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A moment for people: `2026-11-30 10:04:05Z`. */
export function showTime(wallMs: number): string {
  return new Date(wallMs)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
}

function isColourful(fd: number): boolean {
  return isatty(fd) && (process.env['NO_COLOR'] ?? '') === '';
}

// An answer waits for its reader; the rest should not: whoever waits here neither renews its lease
// nor stops its child, and a child that writes to the same pipe may have filled it.
function write(fd: number, text: string): boolean {
  const impatient = fd === STDERR ? openWithoutWaiting(fd) : null;
  const tries = fd === STDERR ? NOTE_TRIES : Infinity;
  const hasReader = writeWithin(tries, impatient ?? fd, Buffer.from(text, 'utf8'));
  if (impatient !== null) closeSync(impatient);
  return hasReader;
}

// Somebody else may have made the pipe non-blocking; then a full one answers EAGAIN.
function writeWithin(tries: number, fd: number, bytes: Uint8Array): boolean {
  for (let rest = bytes, left = tries; rest.length > 0 && left > 0;) {
    const taken = writeNow(fd, rest);
    if (taken === 'gone') return false;
    if (taken !== 'full') rest = rest.subarray(taken);
    else {
      left -= 1;
      pause();
    }
  }
  return true;
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
}
