import type { LeaseUs } from '../base/units.ts';

const REMEMBERED_MAX = 64;

/** When keepalives were sent, by their nonces. Of many that nobody answered the last. */
export class SentTimes {
  // The oldest first.
  private readonly times = new Map<number, LeaseUs>();

  /** Undefined for one that was answered, or that this renewer never sent. */
  at(nonce: number): LeaseUs | undefined {
    return this.times.get(nonce);
  }

  /** To be noted before the bytes are handed over. */
  note(nonce: number, sentUs: LeaseUs): void {
    this.times.set(nonce, sentUs);
    for (const oldest of this.times.keys()) {
      if (this.times.size <= REMEMBERED_MAX) break;
      this.times.delete(oldest);
    }
  }

  /** It was answered. */
  forget(nonce: number): void {
    this.times.delete(nonce);
  }
}
