// The Logger port over pino. A log that nobody reads (a full pipe, a stopped terminal) must not
// stop the node: RAFT.md §16.5. So lines are written by another thread, and what does not fit the
// buffer is dropped and counted.

import { pino } from 'pino';
import type { LogFields, Logger } from '../ports/logger.ts';

/** From the most talkative to none. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** One of LOG_LEVELS: lines below it are not written. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where a node's log goes, and how much of it. */
export interface NodeLoggerOptions {
  readonly level: LogLevel;
  /** Stands in every line as `node`. */
  readonly nodeId: string;
  /** Bytes that may wait to be written. */
  readonly bytesMax: number;
  /** File descriptor or path; standard error if left out, for standard output carries answers. */
  readonly destination?: number | string;
}

/** A logger that knows what it lost. */
export interface NodeLogger extends Logger {
  /** Lines lost so far because nothing took them. */
  dropped(): number;
  /** Writes what waits; for the last moment of a process. */
  flush(): void;
}

const STANDARD_ERROR = 2;

/** JSON lines with `time`, `level`, `node`, `msg` and the fields given. Never throws. */
export function createNodeLogger(options: NodeLoggerOptions): NodeLogger {
  const { level, nodeId, bytesMax, destination = STANDARD_ERROR } = options;
  let dropped = 0;
  let droppedTold = 0;
  const stream = pino.destination({ dest: destination, sync: false, maxLength: bytesMax });
  stream.on('error', () => dropped++);
  stream.on('drop', () => dropped++);
  const log = pino(
    {
      level,
      base: { node: nodeId },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  stream.on('drain', () => {
    if (dropped === droppedTold) return;
    droppedTold = dropped;
    log.warn({ dropped }, 'log lines were dropped because nothing read them');
  });
  return {
    debug: (message, fields = NO_FIELDS) => log.debug(fields, message),
    info: (message, fields = NO_FIELDS) => log.info(fields, message),
    warn: (message, fields = NO_FIELDS) => log.warn(fields, message),
    error: (message, fields = NO_FIELDS) => log.error(fields, message),
    dropped: () => dropped,
    flush: () => flushQuietly(stream),
  };
}

const NO_FIELDS: LogFields = {};

/** The level named by HOLDFAST_LOG_LEVEL, else the configured one. */
export function chooseLogLevel(
  configured: LogLevel,
  fromEnvironment: string | undefined,
): LogLevel {
  return LOG_LEVELS.find((level) => level === fromEnvironment) ?? configured;
}

function flushQuietly(stream: { flushSync(): void }): void {
  try {
    stream.flushSync();
  } catch {
    // The destination is gone or was never opened: there is nowhere left to say so.
  }
}
