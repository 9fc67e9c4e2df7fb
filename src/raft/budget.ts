// How much uncommitted work a leader accepts (RAFT.md §0, §12). Two purses: one for clients, a
// small one for the leader's own proposals, so that leases expire even under overload.

import type { Index } from '../base/units.ts';

interface Charge {
  readonly lastIndex: Index;
  readonly clientBytes: number;
  readonly internalBytes: number;
}

/** Bytes appended in this term and not committed yet. No-ops and configurations are not charged. */
export class Budget {
  clientBytes = 0;
  internalBytes = 0;
  private readonly clientBytesMax: number;
  private readonly internalBytesMax: number;
  // One per accepted event, oldest first; every one has bytes, so the limits bound their number.
  private charges: Charge[] = [];
  private paid = 0;

  constructor(limits: { readonly clientBytesMax: number; readonly internalBytesMax: number }) {
    this.clientBytesMax = limits.clientBytesMax;
    this.internalBytesMax = limits.internalBytesMax;
  }

  /** True when an entry of this size may be appended. An empty purse admits any size. */
  admits(bytes: number, isInternal: boolean): boolean {
    const used = isInternal ? this.internalBytes : this.clientBytes;
    const limit = isInternal ? this.internalBytesMax : this.clientBytesMax;
    return used === 0 || used + bytes <= limit;
  }

  /** Takes the bytes of one entry; `note` must follow when the event's entries are appended. */
  charge(bytes: number, isInternal: boolean): void {
    if (isInternal) this.internalBytes += bytes;
    else this.clientBytes += bytes;
  }

  /** All entries of one event end at `lastIndex` and took these bytes. */
  note(charge: Charge): void {
    if (charge.clientBytes + charge.internalBytes > 0) this.charges.push(charge);
  }

  /** Gives back what is committed. */
  onCommit(commitIndex: Index): void {
    let at = this.paid;
    for (; at < this.charges.length; at++) {
      const charge = this.charges[at];
      if (charge === undefined || charge.lastIndex > commitIndex) break;
      this.clientBytes -= charge.clientBytes;
      this.internalBytes -= charge.internalBytes;
    }
    this.paid = at;
    if (this.paid < 64 || this.paid * 2 < this.charges.length) return;
    this.charges = this.charges.slice(this.paid);
    this.paid = 0;
  }
}
