import { US_PER_MS } from '../base/units.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { HostExit } from './host-types.ts';
import type { NodeStorage } from './storage/types.ts';

/** How gently the disk is read for damage. */
export interface ScrubSettings {
  /** So much … */
  readonly bytes: number;
  /** … in every such period. */
  readonly periodMs: number;
}

/** A GiB in less than three hours, and nothing that anybody notices. */
export const DEFAULT_SCRUB: ScrubSettings = { bytes: 1024 * 1024, periodMs: 10_000 };

/** What is read, and who hears of damage. */
export interface ScrubOptions {
  readonly storage: Pick<NodeStorage, 'scrub'>;
  readonly clock: Clock;
  readonly settings: ScrubSettings;
  readonly onFailed: (exit: HostExit) => void;
}

/**
 * Reads in a circle what lies on the disk, so that damage is found while the other nodes are
 * whole, and not at the next start (RAFT.md §15.5).
 */
export class Scrub {
  private readonly options: ScrubOptions;
  private timer: Timer | null = null;
  private isOver = false;

  constructor(options: ScrubOptions) {
    this.options = options;
  }

  start(): void {
    const { clock, settings } = this.options;
    this.timer = clock.after(settings.periodMs * US_PER_MS, () => this.read());
  }

  stop(): void {
    this.isOver = true;
    this.timer?.cancel();
  }

  private read(): void {
    const { storage, settings, onFailed } = this.options;
    storage.scrub(settings.bytes, (result) => {
      if (this.isOver) return;
      if (result.ok) this.start();
      else onFailed(result.exit);
    });
  }
}
