/** Facts of one line, by name; values are plain so that any format can show them. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

/** Structured log. Never blocks: lines that cannot be written are dropped and counted. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Swallows everything. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
