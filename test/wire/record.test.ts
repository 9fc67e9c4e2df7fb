import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/raft/entry.ts';
import { pack } from '../../src/wire/msgpack.ts';
import { DecodeError } from '../../src/wire/decode-error.ts';
import { decodePeer, encodePeer } from '../../src/wire/peer.ts';
import {
  RECORD_HEADER_BYTES,
  clusterSeed,
  decodeRecords,
  joinRecords,
} from '../../src/wire/record.ts';
import { CLUSTER_ID, ORIGIN, SEED, sampleEntries } from './samples.ts';

const chain = fc
  .tuple(
    fc.integer({ min: 1, max: 2 ** 53 - 100 }),
    fc.array(fc.record({ step: fc.integer({ min: 0, max: 2 ** 40 }), payload: fc.uint8Array() }), {
      maxLength: 30,
    }),
  )
  .map(([firstIndex, parts]) => {
    let term = 1;
    return parts.map(({ step, payload }, at): Entry => {
      const prevTerm = term;
      term += step;
      const base = { index: firstIndex + at, term, prevTerm, config: null, record: null };
      return { ...base, type: 'command', payload };
    });
  });

function joined(): Uint8Array {
  return joinRecords(sampleEntries(), SEED);
}

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

function withEntry(at: number, change: Partial<Entry>): Uint8Array {
  const entries = sampleEntries();
  const entry = entries[at];
  if (entry !== undefined) entries[at] = { ...entry, ...change };
  return joinRecords(entries, SEED);
}

describe('records of entries', () => {
  test('come back with indices and terms up to 2^53', () => {
    fc.assert(
      fc.property(chain, (entries) => {
        expect(decodeRecords(joinRecords(entries, SEED), SEED)).toEqual(entries);
      }),
    );
  });

  test('are made once: joined again, all or a part of them, they are the same memory', () => {
    const entries = sampleEntries();
    const all = joinRecords(entries, SEED);
    const rest = joinRecords(entries.slice(1), SEED);
    expect(rest.buffer).toBe(all.buffer);
    expect(rest).toEqual(all.subarray(all.length - rest.length));
    expect(entries.map(({ record }) => record?.buffer)).toEqual(entries.map(() => all.buffer));
  });

  test('made in different batches, or not following each other, are joined all the same', () => {
    const whole = joined();
    const entries = sampleEntries();
    joinRecords(entries.slice(1, 2), SEED);
    expect(joinRecords(entries, SEED)).toEqual(whole);
    const [first, , last] = entries;
    if (first === undefined || last === undefined) throw new Error('no sample');
    const both = [...(first.record ?? []), ...(last.record ?? [])];
    expect(joinRecords([first, last], SEED)).toEqual(Uint8Array.from(both));
  });

  test('with a gap between them in one memory are joined without it', () => {
    const [first, middle, last] = sampleEntries();
    if (first === undefined || middle === undefined || last === undefined) throw new Error('few');
    joinRecords([first, middle, last], SEED);
    const both = [...(first.record ?? []), ...(last.record ?? [])];
    expect(joinRecords([first, last], SEED)).toEqual(Uint8Array.from(both));
  });

  test('are the very bytes that a follower stores: decoded and joined again they are equal', () => {
    const bytes = joined();
    expect(joinRecords(decodeRecords(bytes, SEED), SEED)).toEqual(bytes);
  });

  test('are views: decoding copies no payload', () => {
    const bytes = joined();
    for (const entry of decodeRecords(bytes, SEED)) {
      expect(entry.payload.buffer).toBe(bytes.buffer);
      expect(entry.record?.buffer).toBe(bytes.buffer);
    }
  });

  test('of another cluster are refused', () => {
    const other = clusterSeed(`${CLUSTER_ID}x`);
    expect(() => decodeRecords(joined(), other)).toThrow(/CRC of its content in this cluster/);
  });

  test('with any single bit flipped are refused', () => {
    const bytes = joined();
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      expect(() => decodeRecords(flipped(bytes, bit), SEED)).toThrow(DecodeError);
    }
  });

  test('cut anywhere but between two are refused', () => {
    const bytes = joined();
    const borders = new Set([0]);
    for (const entry of decodeRecords(bytes, SEED)) {
      borders.add(Math.max(...borders) + (entry.record?.length ?? 0));
    }
    for (let length = 0; length < bytes.length; length++) {
      const cut = () => decodeRecords(bytes.subarray(0, length), SEED);
      if (borders.has(length)) expect(cut().length).toBeLessThan(3);
      else expect(cut).toThrow(DecodeError);
    }
  });

  test.each([
    ['a gap', withEntry(2, { index: ORIGIN + 4 }), /expected record/],
    ['a repeated index', withEntry(1, { index: ORIGIN + 1 }), /expected record/],
    ['a prevTerm that is not the term before', withEntry(2, { prevTerm: 2 }), /expected prevTerm/],
    ['a term below its prevTerm', withEntry(0, { prevTerm: 2 }), /expected a term from 2/],
    ['a config entry without a config', withEntry(1, { payload: pack([1]) }), /config.voters/],
    ['a no-op with a payload', withEntry(0, { payload: pack(1) }), /no-op/],
  ])('with %s are refused', (_name, bytes, message) => {
    expect(() => decodeRecords(bytes, SEED)).toThrow(message);
  });

  test('with an index of 2^53 are refused', () => {
    const bytes = joined();
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(12, 0x20_0000, true);
    expect(() => decodeRecords(bytes, SEED)).toThrow(/below 2\^53/);
  });

  test('whose length says less than a header are refused', () => {
    const bytes = joined();
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(4, RECORD_HEADER_BYTES - 1, true);
    expect(() => decodeRecords(bytes, SEED)).toThrow(/expected a length/);
  });
});

describe('an Append frame', () => {
  const append = { type: 'append', term: 12, commit: 0, round: 1 } as const;

  test.each([
    ['index', { ...append, prevIndex: ORIGIN + 1, prevTerm: 0 }],
    ['term', { ...append, prevIndex: ORIGIN, prevTerm: 1 }],
  ])('whose entries do not follow its previous %s is refused', (_name, message) => {
    const frame = encodePeer({ ...message, entries: sampleEntries() }, SEED);
    expect(() => decodePeer(frame, SEED)).toThrow(/expected entries after/);
  });

  test('of another cluster is refused', () => {
    const message = { ...append, prevIndex: ORIGIN, prevTerm: 0, entries: sampleEntries() };
    expect(() => decodePeer(encodePeer(message, SEED), SEED + 1)).toThrow(DecodeError);
  });
});
