// A resource that locks protect, as seen from outside of all clients: whoever believes in a lock
// writes with its token. The writes of one lock must come with growing tokens.

import { InvariantError } from '../src/base/assert.ts';
import type { Token } from '../src/base/units.ts';

/** One write to the resource. */
export interface FencedWrite {
  readonly name: string;
  readonly token: Token;
  readonly by: string;
}

/** Refuses smaller tokens, as storage that is fenced does, and counts what it saw. */
export class FencedStore {
  private readonly highest = new Map<string, FencedWrite>();
  private accepted = 0;
  private grants = 0;

  /** Writes that were taken. */
  get writes(): number {
    return this.accepted;
  }

  /** Different tokens seen, over all names. */
  get tokens(): number {
    return this.grants;
  }

  /** False when a larger token of that name was seen. Two writers with one token: INV-16. */
  offer(write: FencedWrite): boolean {
    const highest = this.highest.get(write.name);
    if (highest !== undefined && highest.token > write.token) return false;
    if (highest?.token === write.token && highest.by !== write.by) {
      throw new InvariantError(`INV-16: ${highest.by} and ${write.by} share token ${write.token}`);
    }
    if (highest?.token !== write.token) this.grants++;
    this.accepted++;
    this.highest.set(write.name, write);
    return true;
  }
}
