// Appends sent to one follower and not yet acknowledged: how many, how many bytes.

import { assert } from '../base/assert.ts';
import type { Index } from '../base/units.ts';

/** A ring of (last index, bytes). Invariant: last indices increase; at most `capacity` of them. */
export class Inflights {
  private readonly lasts: Float64Array;
  private readonly sizes: Float64Array;
  private readonly bytesMax: number;
  private head = 0;
  private used = 0;
  private heldBytes = 0;

  constructor(capacity: number, bytesMax: number) {
    this.lasts = new Float64Array(capacity);
    this.sizes = new Float64Array(capacity);
    this.bytesMax = bytesMax;
  }

  get count(): number {
    return this.used;
  }

  get bytes(): number {
    return this.heldBytes;
  }

  /** No further Append may leave until one of these is acknowledged. */
  get isFull(): boolean {
    return this.used === this.lasts.length || this.heldBytes >= this.bytesMax;
  }

  /** Notes an Append whose last entry is `last`. */
  add(last: Index, bytes: number): void {
    assert(!this.isFull, 'nothing is sent into a full window');
    const at = (this.head + this.used) % this.lasts.length;
    this.lasts[at] = last;
    this.sizes[at] = bytes;
    this.used++;
    this.heldBytes += bytes;
  }

  /** Frees every Append that ended at or before `match`. */
  freeTo(match: Index): void {
    while (this.used > 0 && (this.lasts[this.head] ?? 0) <= match) {
      this.heldBytes -= this.sizes[this.head] ?? 0;
      this.head = (this.head + 1) % this.lasts.length;
      this.used--;
    }
  }

  /** Forgets all: they are probably lost. */
  clear(): void {
    this.head = 0;
    this.used = 0;
    this.heldBytes = 0;
  }
}
