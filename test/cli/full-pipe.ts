// A pipe whose reader has stopped: whoever writes to it waits for ever.

import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The two ends of a pipe that is full from the start. */
export class FullPipe {
  /** For the standard error of a process. A write to it waits, as it does for everybody. */
  readonly writer: number;
  private readonly reader: number;

  constructor(directory: string) {
    const path = join(directory, 'pipe');
    execFileSync('mkfifo', [path]);
    this.reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    this.writer = openSync(path, 'w');
    for (const size of [4_096, 1]) while (this.takes(size));
  }

  close(): void {
    closeSync(this.writer);
    closeSync(this.reader);
  }

  private takes(size: number): boolean {
    try {
      return writeSync(this.reader, Buffer.alloc(size)) > 0;
    } catch {
      return false;
    }
  }
}
