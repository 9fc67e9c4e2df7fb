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
  private readonly onShared: (message: string) => void;
  private accepted = 0;
  private grants = 0;

  /** `onShared` is told when two write with one token (INV-16); unless given, that throws. */
  constructor(onShared: (message: string) => void = fail) {
    this.onShared = onShared;
  }

  /** Writes that were taken. */
  get writes(): number {
    return this.accepted;
  }

  /** Different tokens seen, over all names. */
  get tokens(): number {
    return this.grants;
  }

  /** The last write that was taken. */
  last(name: string): FencedWrite | undefined {
    return this.highest.get(name);
  }

  /** False when a larger token of that name was seen. */
  offer(write: FencedWrite): boolean {
    const highest = this.highest.get(write.name);
    if (highest !== undefined && highest.token > write.token) return false;
    if (highest?.token === write.token && highest.by !== write.by) {
      this.onShared(`${highest.by} and ${write.by} share token ${write.token} of ${write.name}`);
    }
    if (highest?.token !== write.token) this.grants++;
    this.accepted++;
    this.highest.set(write.name, write);
    return true;
  }
}

function fail(message: string): never {
  throw new InvariantError(`INV-16: ${message}`);
}
