// The destination of a log. Lines wait here, bounded, while nothing takes them; what does not fit
// is dropped and counted. Never blocks the loop, and never keeps a process from ending: a pipe is
// written without waiting, a file by another thread.

import { closeSync, openSync, write } from 'node:fs';
import { openWithoutWaiting, writeNow } from '../adapters/output-file.ts';
import { setImmediate, setTimeout } from '../adapters/real-timers.ts';
import { errorCode } from '../adapters/storage-failure.ts';

/** Where to, and how much may wait. */
export interface LogStreamOptions {
  /** File descriptor or path. */
  readonly destination: number | string;
  /** Bytes that may wait to be written. */
  readonly bytesMax: number;
  /** Lines were lost and there is room again; gets the number lost since the start. */
  readonly onLoss: (dropped: number) => void;
}

/** How soon a full pipe is tried again. */
const RETRY_MS = 50;

/** Takes whole lines. */
export class LogStream {
  private readonly options: LogStreamOptions;
  private readonly fd: number;
  private lines: Buffer[] = [];
  private bytes = 0;
  private isBusy = false;
  private lost = 0;
  private lostTold = 0;

  constructor(options: LogStreamOptions) {
    const { destination } = options;
    this.options = options;
    this.fd = typeof destination === 'number' ? destination : openSync(destination, 'a');
  }

  /** Lines lost so far. */
  get dropped(): number {
    return this.lost;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.bytes + bytes.length > this.options.bytesMax) {
      this.lost += 1;
      return;
    }
    this.lines.push(bytes);
    this.bytes += bytes.length;
    if (this.isBusy) return;
    this.isBusy = true;
    setImmediate(() => this.proceed());
  }

  /** Writes what waits and is taken at once; for the last moment of a process. */
  flush(): void {
    const impatient = openWithoutWaiting(this.fd);
    this.writeUntilFull(impatient ?? this.fd);
    if (impatient !== null) closeSync(impatient);
  }

  private proceed(): void {
    const impatient = openWithoutWaiting(this.fd);
    if (impatient === null) return this.writeAll();
    const isEmpty = this.writeUntilFull(impatient);
    closeSync(impatient);
    if (isEmpty) this.rest();
    else this.tryLater();
  }

  // Line by line: a pipe takes up to 4 KiB as one, so that lines of several writers do not mix.
  private writeUntilFull(fd: number): boolean {
    for (let line = this.lines.shift(); line !== undefined; line = this.lines.shift()) {
      const taken = writeNow(fd, line);
      const left = taken === 'full' ? line : line.subarray(taken === 'gone' ? line.length : taken);
      this.bytes -= line.length - left.length;
      if (taken === 'gone') this.loseUntold(1);
      if (left.length > 0) this.lines.unshift(left);
      if (taken === 'full') return false;
    }
    return true;
  }

  private writeAll(): void {
    const bytes = Buffer.concat(this.lines);
    const count = this.lines.length;
    this.lines = [];
    if (count === 0) return this.rest();
    write(this.fd, bytes, (error, written) => {
      const isFull = error !== null && errorCode(error) === 'EAGAIN';
      const left = isFull ? bytes : bytes.subarray(error === null ? written : bytes.length);
      this.bytes -= bytes.length - left.length;
      if (error !== null && !isFull) this.loseUntold(count);
      if (left.length > 0) this.lines.unshift(left);
      if (isFull) this.tryLater();
      else this.proceed();
    });
  }

  private tryLater(): void {
    setTimeout(() => this.proceed(), RETRY_MS).unref();
  }

  // Where no line can be written, neither can the one that says so.
  private loseUntold(count: number): void {
    this.lost += count;
    this.lostTold += count;
  }

  private rest(): void {
    this.isBusy = false;
    if (this.lost === this.lostTold) return;
    this.lostTold = this.lost;
    this.options.onLoss(this.lost);
  }
}
