// Whatever arrives, decoding gives a value or throws DecodeError; nothing else comes out.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeClientMessages,
  decodeNodeMessages,
  encodeClientMessages,
  encodeNodeMessages,
} from '../../src/wire/client.ts';
import {
  decodeCheckpoint,
  decodeSnapshotEnd,
  decodeSnapshotMeta,
  decodeSnapshotRows,
  encodeCheckpoint,
  encodeSnapshotEnd,
  encodeSnapshotMeta,
  encodeSnapshotRows,
} from '../../src/wire/checkpoint.ts';
import { decodeBody, decodePayload, encodeBody, encodePayload } from '../../src/wire/command.ts';
import { decodeConfig, encodeConfig } from '../../src/wire/config.ts';
import { DecodeError } from '../../src/wire/decode-error.ts';
import { decodeFounding, encodeFounding } from '../../src/wire/founding.ts';
import { pack, unpack } from '../../src/wire/msgpack.ts';
import { decodePeer, encodePeer } from '../../src/wire/peer.ts';
import { decodeRecords, joinRecords } from '../../src/wire/record.ts';
import { decodeRowValue } from '../../src/wire/rows.ts';
import { decodeSlot, encodeSlot } from '../../src/wire/slots.ts';
import { CLIENT_MESSAGES, NODE_MESSAGES } from './client-samples.ts';
import {
  BODIES,
  CHECKPOINT,
  CONFIG,
  FOUNDING,
  PEER_MESSAGES,
  RESTORED,
  ROWS,
  SEED,
  SLOT,
  sampleEntries,
} from './samples.ts';

interface Door {
  readonly valid: readonly Uint8Array[];
  readonly decode: (bytes: Uint8Array) => unknown;
}

const stamp = { ackedBelow: 1, stampMs: 2 };
const doors: Readonly<Record<string, Door>> = {
  config: { valid: [encodeConfig(CONFIG)], decode: decodeConfig },
  founding: { valid: [encodeFounding(FOUNDING)], decode: decodeFounding },
  checkpoint: { valid: [encodeCheckpoint(CHECKPOINT)], decode: decodeCheckpoint },
  snapshotMeta: {
    valid: [encodeSnapshotMeta({ founding: RESTORED, checkpoint: CHECKPOINT })],
    decode: decodeSnapshotMeta,
  },
  snapshotRows: { valid: [encodeSnapshotRows(ROWS)], decode: decodeSnapshotRows },
  snapshotEnd: {
    valid: [encodeSnapshotEnd({ count: 2, rowSum: CHECKPOINT.rowSum })],
    decode: decodeSnapshotEnd,
  },
  rowValue: { valid: ROWS.map(({ value }) => value), decode: decodeRowValue },
  slot: { valid: [encodeSlot(SLOT)], decode: decodeSlot },
  records: {
    valid: [joinRecords(sampleEntries(), SEED)],
    decode: (bytes) => decodeRecords(bytes, SEED),
  },
  body: { valid: Object.values(BODIES).map(encodeBody), decode: decodeBody },
  payload: {
    valid: Object.values(BODIES).map((body) => encodePayload(encodeBody(body), stamp)),
    decode: decodePayload,
  },
  peer: {
    valid: Object.values(PEER_MESSAGES).map((message) => encodePeer(message, SEED)),
    decode: (bytes) => decodePeer(bytes, SEED),
  },
  client: {
    valid: Object.values(CLIENT_MESSAGES).map((message) => encodeClientMessages([message])),
    decode: decodeClientMessages,
  },
  node: {
    valid: Object.values(NODE_MESSAGES).map((message) => encodeNodeMessages([message])),
    decode: decodeNodeMessages,
  },
};

/** Values that are right for one field and wrong for the next. */
const oddValue = fc.constantFrom<unknown>(
  null,
  true,
  -1,
  0,
  1.5,
  99,
  2 ** 53,
  -(2 ** 40),
  '',
  'text',
  [],
  [[]],
  new Uint8Array(2),
);

function isRefusedOrRead(decode: Door['decode'], bytes: Uint8Array): boolean {
  try {
    decode(bytes);
    return true;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return false;
  }
}

// Mutation of bytes: overwrite, insert, remove, cut.
interface Mutation {
  /** Where, as a share of the length. */
  readonly at: number;
  readonly removed: number;
  readonly inserted: Uint8Array;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  removed: fc.integer({ min: 0, max: 6 }),
  inserted: fc.uint8Array({ maxLength: 6 }),
});

function mutated(bytes: Uint8Array, changes: readonly Mutation[]) {
  let result = [...bytes];
  for (const { at, removed, inserted } of changes) {
    result = result.toSpliced(Math.floor(at * result.length), removed, ...inserted);
  }
  return Uint8Array.from(result);
}

describe.each(Object.entries(doors))('%s', (_name, { valid, decode }) => {
  test('random bytes give only DecodeError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        isRefusedOrRead(decode, bytes);
      }),
      { numRuns: 2_000 },
    );
  });

  test('damaged frames give only DecodeError', () => {
    const changes = fc.array(mutation, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.constantFrom(...valid), changes, (bytes, damage) => {
        isRefusedOrRead(decode, mutated(bytes, damage));
      }),
      { numRuns: 2_000 },
    );
  });

  test('every prefix of a frame is refused', () => {
    for (const bytes of valid.filter((each) => each.length > 0)) {
      const length = bytes.length - 1;
      expect(isRefusedOrRead(decode, bytes.subarray(0, length))).toBe(false);
    }
  });
});

const ARRAYS = [
  ...['config', 'founding', 'checkpoint', 'snapshotMeta', 'snapshotEnd'],
  ...['rowValue', 'body', 'peer', 'client', 'node'],
];

/** Their last field came with the second format: without it they are of the first. */
const GROWN = ['config', 'founding'];

describe.each(ARRAYS)('%s', (name) => {
  const door = doors[name];
  const valid = door?.valid ?? [];

  test('frames with one value exchanged give only DecodeError', () => {
    fc.assert(
      fc.property(fc.constantFrom(...valid), fc.nat(), oddValue, (bytes, seat, odd) => {
        const changed = pack(exchange(unpack(bytes), seat, odd));
        isRefusedOrRead(door?.decode ?? unpack, changed);
      }),
      { numRuns: 3_000 },
    );
  });

  test('frames with one value more or less in any array are refused', () => {
    const decode = door?.decode ?? unpack;
    for (const bytes of valid) {
      const list = unpack(bytes);
      if (!Array.isArray(list)) throw new Error('a frame is an array');
      const inner: unknown = name === 'client' || name === 'node' ? list[0] : list;
      if (!Array.isArray(inner)) throw new Error('a message is an array');
      const short = inner.slice(0, GROWN.includes(name) ? -2 : -1);
      for (const changed of [[...inner, null], short]) {
        const frame = inner === list ? changed : [changed];
        expect(isRefusedOrRead(decode, pack(frame))).toBe(false);
      }
    }
  });
});

/** The value with the `seat`-th leaf or array, counted in depth, exchanged for another. */
function exchange(value: unknown, seat: number, odd: unknown): unknown {
  const places = count(value);
  let left = seat % places;
  const visit = (node: unknown): unknown => {
    if (left-- === 0) return odd;
    return Array.isArray(node) ? node.map(visit) : node;
  };
  return visit(value);
}

function count(value: unknown): number {
  if (!Array.isArray(value)) return 1;
  return value.reduce((sum: number, item) => sum + count(item), 1);
}
