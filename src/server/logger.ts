// The Logger port over pino. A log that nobody reads (a full pipe, a stopped terminal) must not
// stop the node, nor keep it from ending: RAFT.md §16.5. See log-stream.ts.

import { pino } from 'pino';
import type { LogFields, Logger } from '../ports/logger.ts';
import type { NodeConfig } from './config.ts';
import { LogStream } from './log-stream.ts';

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
  const stream = new LogStream({
    destination,
    bytesMax,
    onLoss: (dropped) => {
      log.warn({ dropped }, 'log lines were dropped because nothing read them');
    },
  });
  const log = pino(
    {
      level,
      base: { node: nodeId },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  return {
    debug: (message, fields = NO_FIELDS) => log.debug(fields, message),
    info: (message, fields = NO_FIELDS) => log.info(fields, message),
    warn: (message, fields = NO_FIELDS) => log.warn(fields, message),
    error: (message, fields = NO_FIELDS) => log.error(fields, message),
    dropped: () => stream.dropped,
    flush: () => stream.flush(),
  };
}

const NO_FIELDS: LogFields = {};

/** A node's log as its configuration and HOLDFAST_LOG_LEVEL want it, on standard error. */
export function createConfiguredLogger(config: NodeConfig, nodeId: string): NodeLogger {
  const level = chooseLogLevel(config.logLevel, process.env['HOLDFAST_LOG_LEVEL']);
  return createNodeLogger({ level, nodeId, bytesMax: config.sizeLimits.logBytesMax });
}

/** The level named by HOLDFAST_LOG_LEVEL, else the configured one. */
export function chooseLogLevel(
  configured: LogLevel,
  fromEnvironment: string | undefined,
): LogLevel {
  return LOG_LEVELS.find((level) => level === fromEnvironment) ?? configured;
}
