// A resource that locks protect, as seen from outside of all clients: whoever believes in a lock
// writes with its token. The writes of one lock must come with growing tokens, as far as their
// grants exclude each other (RAFT.md §13): shared ones among themselves may come in any order, and
// each slot of a semaphore is a resource of its own.

import { InvariantError } from '../src/base/assert.ts';
import type { Token } from '../src/base/units.ts';
import type { LockMode } from '../src/locks/commands.ts';

/** One write to the resource. */
export interface FencedWrite {
  readonly name: string;
  readonly token: Token;
  readonly by: string;
  /** Unless given, exclusive. */
  readonly mode?: LockMode;
  /** Of a semaphore: the slot that is written to. */
  readonly slot?: number;
}

/** What was seen of one lock, or of one slot. */
interface Fence {
  /** The newest write of those that exclude all others. */
  exclusive: FencedWrite | null;
  maxShared: Token;
}

/** Refuses smaller tokens, as storage that is fenced does, and counts what it saw. */
export class FencedStore {
  private readonly fences = new Map<string, Fence>();
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

  /** Different tokens seen of exclusive grants, over all names and slots. */
  get tokens(): number {
    return this.grants;
  }

  /** The token that a write of this kind must at least have; 0 when none came before it. */
  least(write: FencedWrite): Token {
    const fence = this.fences.get(keyOf(write));
    if (fence === undefined) return 0;
    const maxExclusive = fence.exclusive?.token ?? 0;
    if (write.mode === 'shared') return maxExclusive + 1;
    return Math.max(maxExclusive, fence.maxShared + 1);
  }

  /** False when a larger token was seen that excludes this one. */
  offer(write: FencedWrite): boolean {
    if (write.token < this.least(write)) return false;
    const fence = this.obtain(write);
    this.accepted++;
    if (write.mode === 'shared') {
      fence.maxShared = Math.max(fence.maxShared, write.token);
      return true;
    }
    const { exclusive: last } = fence;
    if (last?.token !== write.token) this.grants++;
    else if (last.by !== write.by) {
      this.onShared(`${last.by} and ${write.by} share token ${write.token} of ${keyOf(write)}`);
    }
    fence.exclusive = write;
    return true;
  }

  private obtain(write: FencedWrite): Fence {
    const known = this.fences.get(keyOf(write));
    if (known !== undefined) return known;
    const fresh = { exclusive: null, maxShared: 0 };
    this.fences.set(keyOf(write), fresh);
    return fresh;
  }
}

function keyOf({ name, slot }: FencedWrite): string {
  return slot === undefined ? name : `${name} slot ${slot}`;
}

function fail(message: string): never {
  throw new InvariantError(`INV-16: ${message}`);
}
