import type { MonoUs } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { LogFields, Logger } from '../ports/logger.ts';

/** How often one and the same refusal is worth a line. */
const REPEAT_US = 60_000_000;
/** Refusals remembered; beyond it strangers make up names, and more lines help nobody. */
const REMEMBERED_MAX = 256;

/**
 * Refused links, and garbage, in the log. A peer that is refused dials again several times a
 * second, until somebody acts: its refusal is told once a minute, so that it neither buries the
 * rest of the log nor fills the disk.
 */
export class RefusalLog {
  private readonly clock: Pick<Clock, 'monoUs'>;
  private readonly logger: Logger;
  private readonly toldUs = new Map<string, MonoUs>();

  constructor(clock: Pick<Clock, 'monoUs'>, logger: Logger) {
    this.clock = clock;
    this.logger = logger;
  }

  /** Logs an error, unless the same was logged within the last minute. */
  error(message: string, fields?: LogFields): void {
    if (this.isNews(message)) this.logger.error(message, fields);
  }

  /** The same for a warning. */
  warn(message: string, fields?: LogFields): void {
    if (this.isNews(message)) this.logger.warn(message, fields);
  }

  private isNews(message: string): boolean {
    const nowUs = this.clock.monoUs();
    const toldUs = this.toldUs.get(message);
    if (toldUs !== undefined && nowUs - toldUs < REPEAT_US) return false;
    if (toldUs === undefined && this.toldUs.size >= REMEMBERED_MAX) this.forget(nowUs);
    if (toldUs === undefined && this.toldUs.size >= REMEMBERED_MAX) return false;
    this.toldUs.set(message, nowUs);
    return true;
  }

  private forget(nowUs: MonoUs): void {
    for (const [message, toldUs] of this.toldUs) {
      if (nowUs - toldUs >= REPEAT_US) this.toldUs.delete(message);
    }
  }
}
