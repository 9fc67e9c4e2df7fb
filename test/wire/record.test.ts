import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/raft/entry.ts';
import { encodePayload } from '../../src/wire/command.ts';
import { pack } from '../../src/wire/msgpack.ts';
import { encodePayloads } from '../../src/wire/payloads.ts';
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

/** The same entry, whose record lies nowhere yet. */
function alone(entry: Entry): Entry {
  return { ...entry, record: null };
}

/** Entries as a leader appends them: of requests that came together. */
function roomyEntries(count: number): Entry[] {
  const requests = Array.from({ length: count }, (_, at) => ({
    body: new Uint8Array(at * 3).fill(at),
    ackedBelow: at,
  }));
  const { payloads, record } = encodePayloads(requests, 1_790_000_000_000);
  expect(payloads).toEqual(
    requests.map(({ body, ackedBelow }) =>
      encodePayload(body, { ackedBelow, stampMs: 1_790_000_000_000 }),
    ),
  );
  return payloads.map((payload, at) => {
    const place = { index: ORIGIN + 1 + at, term: 7, prevTerm: 7 };
    return { ...place, type: 'command', payload, config: null, record };
  });
}

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
        expect(decodeRecords(joinRecords(entries, SEED), SEED).map(alone)).toEqual(entries);
      }),
    );
  });

  test('whose payloads lie in room for them are completed there, once, and copied nowhere', () => {
    const entries = roomyEntries(5);
    const all = joinRecords(entries, SEED);
    expect(all.buffer).toBe(entries[0]?.record?.buffer);
    expect(all).toEqual(joinRecords(entries.map(alone), SEED));
    const rest = joinRecords(entries.slice(2), SEED);
    expect(rest.buffer).toBe(all.buffer);
    expect(rest).toEqual(all.subarray(all.length - rest.length));
  });

  test('are completed where they lie whichever part of them is asked for first', () => {
    const entries = roomyEntries(5);
    const middle = joinRecords(entries.slice(1, 3), SEED);
    const whole = joinRecords(entries, SEED);
    expect(whole).toEqual(joinRecords(entries.map(alone), SEED));
    expect(middle).toEqual(joinRecords(entries.slice(1, 3).map(alone), SEED));
    expect(middle.buffer).toBe(whole.buffer);
  });

  test('of several memories, of none, or with a gap between them are joined all the same', () => {
    const [first, middle, last] = sampleEntries();
    if (first === undefined || middle === undefined || last === undefined) throw new Error('few');
    const whole = joined();
    const [one, two, three] = decodeRecords(whole, SEED);
    const [other] = decodeRecords(joinRecords([middle], SEED), SEED);
    if (one === undefined || two === undefined || three === undefined) throw new Error('few');
    if (other === undefined) throw new Error('none');
    for (const entries of [
      [one, middle, three],
      [first, two, three],
      [one, other, three],
    ]) {
      expect(joinRecords(entries, SEED)).toEqual(whole);
    }
    expect(joinRecords([one, three], SEED)).toEqual(joinRecords([first, last], SEED));
    expect(joinRecords([], SEED)).toHaveLength(0);
  });

  test('are the very bytes that a follower stores: decoded and joined again they are equal', () => {
    const bytes = joined();
    expect(joinRecords(decodeRecords(bytes, SEED), SEED)).toEqual(bytes);
  });

  test('are views: decoding copies no payload', () => {
    const bytes = joined();
    for (const entry of decodeRecords(bytes, SEED)) {
      expect(entry.payload.buffer).toBe(bytes.buffer);
      expect(entry.record).toBe(bytes);
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
      borders.add(Math.max(...borders) + RECORD_HEADER_BYTES + entry.payload.length);
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
