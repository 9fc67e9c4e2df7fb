import type { LogFields, Logger } from '../../src/ports/logger.ts';

/** One line that a process logged. */
export interface LogLine {
  readonly timeUs: number;
  readonly process: string;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

const LOG_LINES_MAX = 2_000;

/** The Logger port of one process: adds to the lines of its world, of which the newest stay. */
export function createLogger(lines: LogLine[], process: string, nowUs: () => number): Logger {
  const log =
    (level: LogLine['level']) =>
    (message: string, fields: LogFields = {}): void => {
      if (lines.length >= LOG_LINES_MAX) lines.shift();
      lines.push({ timeUs: nowUs(), process, level, message, fields });
    };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}
