/** Facts of one line, by name; values are plain so that any format can show them. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

/** Structured log. Never blocks: lines that cannot be written are dropped and counted. */
export interface Logger {
  /** For whoever looks for a cause. */
  debug(message: string, fields?: LogFields): void;
  /** What an operator wants to find afterwards. */
  info(message: string, fields?: LogFields): void;
  /** Something is not as it should be, and we go on. */
  warn(message: string, fields?: LogFields): void;
  /** Something failed, and somebody has to act. */
  error(message: string, fields?: LogFields): void;
}

/** Swallows everything. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
