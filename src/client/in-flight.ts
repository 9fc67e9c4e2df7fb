import { NumberMap } from '../base/number-map.ts';
import type { MonoUs } from '../base/units.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Pending } from './pending.ts';

// Undecided requests and their bytes on one link; the rest waits. Just below 1,024 and 1 MiB,
// where a node pauses the socket (DESIGN.md §6): keepalives must not wait behind requests.
const COUNT_MAX = 1_000;
const BYTES_MAX = 960 * 1024;
// A request that a living link left unanswered for so long is sent again.
const ANSWER_US = 4_000_000;

/** What was sent over one link and not answered, in the order of sending. */
export class InFlight {
  private readonly clock: Clock;
  private readonly onLate: (late: readonly Pending[]) => void;
  private readonly pending = new NumberMap<Pending>();
  private sizeBytes = 0;
  private timer: Timer | null = null;

  /** `onLate` gets those that were not answered in time; they are in flight no more. */
  constructor(clock: Clock, onLate: (late: readonly Pending[]) => void) {
    this.clock = clock;
    this.onLate = onLate;
  }

  hasRoom(): boolean {
    return this.pending.size < COUNT_MAX && this.sizeBytes < BYTES_MAX;
  }

  /** Is about to be sent, at that time, under its id, which is larger than all before. */
  enter(pending: Pending, sentUs: MonoUs): void {
    const { requestId, sizeBytes } = pending;
    pending.sentUs = sentUs;
    pending.wasUncertain = pending.isUncertain;
    pending.isUncertain = true;
    this.pending.set(requestId, pending);
    this.sizeBytes += sizeBytes;
    this.timer ??= this.clock.after(ANSWER_US, () => this.tellLate());
  }

  /** Idempotent. */
  leave(pending: Pending): void {
    if (this.pending.delete(pending.requestId)) this.sizeBytes -= pending.sizeBytes;
  }

  get(requestId: number): Pending | undefined {
    return this.pending.get(requestId);
  }

  /** Empties it: no answer will come for any of these. */
  takeAll(): readonly Pending[] {
    const all = this.pending.values();
    this.pending.clear();
    this.sizeBytes = 0;
    this.timer?.cancel();
    this.timer = null;
    return all;
  }

  // One timer for all, since the first in flight is the oldest.
  private tellLate(): void {
    this.timer = null;
    const late: Pending[] = [];
    for (const pending of this.pending.values()) {
      const leftUs = pending.sentUs + ANSWER_US - this.clock.monoUs();
      if (leftUs > 0) {
        this.timer = this.clock.after(leftUs, () => this.tellLate());
        break;
      }
      this.leave(pending);
      late.push(pending);
    }
    if (late.length > 0) this.onLate(late);
  }
}
