import { describe, expect, it } from 'vitest';
import type { Append } from '../../src/raft/messages.ts';
import { PeerEncoder } from '../../src/wire/peer-encoder.ts';
import { encodePeer } from '../../src/wire/peer.ts';

const SEED = 77;

const append: Append = {
  type: 'append',
  term: 3,
  prevIndex: 40,
  prevTerm: 2,
  entries: [
    {
      index: 41,
      term: 3,
      prevTerm: 2,
      type: 'command',
      payload: Uint8Array.of(1, 2, 3),
      config: null,
      record: null,
    },
  ],
  commit: 39,
  round: 8,
};

describe('PeerEncoder', () => {
  it('makes one frame of an Append for all that get the same one', () => {
    const encoder = new PeerEncoder(SEED);
    const first = encoder.encode(append);
    expect(first).toEqual(encodePeer(append, SEED));
    expect(encoder.encode({ ...append })).toBe(first);
    encoder.encode({ type: 'heartbeat', term: 3, commit: 39, round: 8 });
    expect(encoder.encode({ ...append })).toBe(first);
  });

  it.each<Partial<Append>>([
    { term: 4 },
    { prevIndex: 41 },
    { prevTerm: 3 },
    { entries: [] },
    { commit: 40 },
    { round: 9 },
  ])('makes a frame of its own of one that differs in %o', (change) => {
    const encoder = new PeerEncoder(SEED);
    const first = encoder.encode(append);
    const changed = { ...append, ...change };
    expect(encoder.encode(changed)).toEqual(encodePeer(changed, SEED));
    expect(encoder.encode(append)).not.toBe(first);
    expect(encoder.encode(append)).toEqual(first);
  });
});
