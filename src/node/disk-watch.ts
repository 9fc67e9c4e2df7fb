import { US_PER_MS } from '../base/units.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Engine } from './engine.ts';
import type { HostExit } from './host-types.ts';
import type { NodeStorage } from './storage/types.ts';

const PERIOD_MS = 1_000;

/** Whose disk is watched, and the bytes that must stay free. */
export interface DiskWatchOptions {
  readonly storage: NodeStorage;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly reserveBytes: number;
  readonly onFailed: (exit: HostExit) => void;
}

/**
 * Once a second: raises the durable floor, the witness that shows a shortened log (RAFT.md §15.3),
 * and looks at the free space, so that a full disk is refused before it is met (§15.4).
 */
export class DiskWatch {
  private readonly options: DiskWatchOptions;
  private timer: Timer | null = null;
  private isOver = false;
  private isShort = false;

  constructor(options: DiskWatchOptions) {
    this.options = options;
  }

  /** Less space than the reserve: no new sessions and locks. */
  get isBelowReserve(): boolean {
    return this.isShort;
  }

  start(): void {
    this.look();
  }

  stop(): void {
    this.isOver = true;
    this.timer?.cancel();
  }

  /** Raises the floor as far as it is safe; `done` when durable, or at once if nothing is new. */
  raiseFloor(done: () => void): void {
    const { engine, storage, onFailed } = this.options;
    const ready = engine.takeFloor();
    if (ready === null) return done();
    storage.raiseFloor(ready, (result) => {
      if (!result.ok && !this.isOver) onFailed(result.exit);
      done();
    });
  }

  private look(): void {
    const { storage, clock } = this.options;
    this.raiseFloor(() => {});
    storage.freeBytes((result) => {
      if (this.isOver) return;
      if (result.ok && result.value !== null) this.judge(result.value);
      this.timer = clock.after(PERIOD_MS * US_PER_MS, () => this.look());
    });
  }

  private judge(freeBytes: number): void {
    const { reserveBytes, logger } = this.options;
    const isShort = freeBytes < reserveBytes;
    if (isShort && !this.isShort) {
      logger.error('Disk nearly full: new sessions and locks are refused', {
        freeBytes,
        reserveBytes,
      });
    }
    if (!isShort && this.isShort) logger.info('Disk space is back', { freeBytes });
    this.isShort = isShort;
  }
}
