// The bytes of every message and record, pinned. A change here breaks running clusters and disks:
// it needs a new protocol version. UPDATE_GOLDEN=1 writes the files anew, for review as a diff.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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
import { decodeBody, encodeBody } from '../../src/wire/command.ts';
import { decodeConfig, encodeConfig } from '../../src/wire/config.ts';
import { decodeFounding, encodeFounding } from '../../src/wire/founding.ts';
import { decodePeer, encodePeer } from '../../src/wire/peer.ts';
import { decodeRecords, joinRecords } from '../../src/wire/record.ts';
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

const META = { founding: RESTORED, checkpoint: CHECKPOINT };
const END = { count: 2, rowSum: CHECKPOINT.rowSum };

interface Golden {
  readonly value: unknown;
  readonly bytes: Uint8Array;
  readonly decode: (bytes: Uint8Array) => unknown;
}

const families: Readonly<Record<string, Readonly<Record<string, Golden>>>> = {
  disk: {
    config: { value: CONFIG, bytes: encodeConfig(CONFIG), decode: decodeConfig },
    restored: { value: RESTORED, bytes: encodeFounding(RESTORED), decode: decodeFounding },
    checkpoint: {
      value: CHECKPOINT,
      bytes: encodeCheckpoint(CHECKPOINT),
      decode: decodeCheckpoint,
    },
    founding: { value: FOUNDING, bytes: encodeFounding(FOUNDING), decode: decodeFounding },
    slot: { value: SLOT, bytes: encodeSlot(SLOT), decode: decodeSlot },
    records: entriesGolden(),
  },
  transfer: {
    meta: { value: META, bytes: encodeSnapshotMeta(META), decode: decodeSnapshotMeta },
    rows: { value: ROWS, bytes: encodeSnapshotRows(ROWS), decode: decodeSnapshotRows },
    end: { value: END, bytes: encodeSnapshotEnd(END), decode: decodeSnapshotEnd },
  },
  command: goldens(BODIES, encodeBody, decodeBody),
  peer: goldens(
    PEER_MESSAGES,
    (message) => encodePeer(message, SEED),
    (bytes) => decodePeer(bytes, SEED),
  ),
  client: goldens(
    CLIENT_MESSAGES,
    (message) => encodeClientMessages([message]),
    (bytes) => decodeClientMessages(bytes)[0],
  ),
  node: goldens(
    NODE_MESSAGES,
    (message) => encodeNodeMessages([message]),
    (bytes) => decodeNodeMessages(bytes)[0],
  ),
};

for (const [family, cases] of Object.entries(families)) {
  const file = new URL(`golden/${family}.json`, import.meta.url);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, goldenText(cases));
  const pinned: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};

  describe(`${family} frames`, () => {
    test('are exactly those of the golden file', () => {
      expect(pinned).toEqual(JSON.parse(goldenText(cases)));
    });
    test.each(Object.entries(cases))('%s decodes to what was encoded', (_name, golden) => {
      expect(golden.decode(golden.bytes)).toEqual(golden.value);
    });
  });
}

describe('bytes of the first disk format', () => {
  const file = new URL('golden/disk-format-1.json', import.meta.url);
  const former: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const bytesOf = (name: string): Buffer => {
    const hex = new Map<string, unknown>(Object.entries(former ?? {})).get(name);
    return Buffer.from(String(hex), 'hex');
  };

  test('are read: nobody left yet, and nothing was restored', () => {
    const formerConfig = { ...CONFIG, retired: [] };
    expect(decodeConfig(bytesOf('config'))).toEqual(formerConfig);
    expect(decodeFounding(bytesOf('founding'))).toEqual(FOUNDING);
    const entries = decodeRecords(bytesOf('records'), SEED);
    expect(entries.map((entry) => entry.config)).toEqual([null, formerConfig, null]);
  });
});

function goldens<T>(
  values: Readonly<Record<string, T>>,
  encode: (value: T) => Uint8Array,
  decode: (bytes: Uint8Array) => unknown,
): Record<string, Golden> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { value, bytes: encode(value), decode }]),
  );
}

function entriesGolden(): Golden {
  const entries = sampleEntries();
  const bytes = joinRecords(entries, SEED);
  return { value: entries, bytes, decode: (from) => decodeRecords(from, SEED) };
}

function goldenText(cases: Readonly<Record<string, Golden>>): string {
  const hex = Object.entries(cases).map(([name, { bytes }]) => [
    name,
    Buffer.from(bytes).toString('hex'),
  ]);
  return `${JSON.stringify(Object.fromEntries(hex), null, 2)}\n`;
}
