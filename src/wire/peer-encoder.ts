import type { Append } from '../raft/messages.ts';
import type { PeerMessage } from './peer-messages.ts';
import { encodePeer } from './peer.ts';

/**
 * Encodes what a node says to its peers. Those in step get the same Append, one right after the
 * other: it becomes one frame for all of them. Whoever sends a frame must not change it.
 */
export class PeerEncoder {
  private readonly seed: number;
  /** The Append that was encoded last, and its frame. */
  private append: Append | null = null;
  private frame: Uint8Array = new Uint8Array(0);

  /** `seed` as in encodePeer. */
  constructor(seed: number) {
    this.seed = seed;
  }

  encode(message: PeerMessage): Uint8Array {
    if (message.type !== 'append') return encodePeer(message, this.seed);
    if (this.append === null || !isSame(message, this.append)) {
      this.frame = encodePeer(message, this.seed);
      this.append = message;
    }
    return this.frame;
  }
}

function isSame(one: Append, other: Append): boolean {
  return (
    one.entries === other.entries &&
    one.commit === other.commit &&
    one.round === other.round &&
    one.prevIndex === other.prevIndex &&
    one.prevTerm === other.prevTerm &&
    one.term === other.term
  );
}
