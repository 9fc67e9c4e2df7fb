import { describe, expect, test } from 'vitest';
import {
  BackupReader,
  BackupWriter,
  decodeBackupHeader,
  encodeBackupHeader,
} from '../../src/wire/backup.ts';
import { DecodeError } from '../../src/wire/decode-error.ts';

const HEADER = {
  clusterName: 'größe',
  clusterId: 'c1',
  createdMs: 1_790_000_000_000,
  version: '1',
};
const PIECES = [encodeBackupHeader(HEADER), Uint8Array.of(7), new Uint8Array(3_000).fill(9)];

function fileOf(pieces: readonly Uint8Array[]): Uint8Array {
  const writer = new BackupWriter();
  const parts = [writer.begin(), ...pieces.map((piece) => writer.piece(piece)), writer.end()];
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** The pieces of a file that is read so many bytes at a time. */
function readAll(file: Uint8Array, stride = 64 * 1024): Uint8Array[] {
  const reader = new BackupReader();
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < file.length; at += stride) {
    pieces.push(...reader.take(file.subarray(at, at + stride)));
  }
  reader.end();
  return pieces;
}

const FILE = fileOf(PIECES);

describe('a backup file', () => {
  test.each([1, 7, 1_000, 100_000])('comes back when it is read %i bytes at a time', (stride) => {
    expect(readAll(FILE, stride)).toEqual(PIECES);
    expect(decodeBackupHeader(PIECES[0] ?? FILE)).toEqual(HEADER);
  });

  test('is refused when it ends anywhere before its end', () => {
    for (let length = 0; length < FILE.length; length++) {
      expect(() => readAll(FILE.subarray(0, length))).toThrow(DecodeError);
    }
    expect(() => readAll(FILE.subarray(0, -1))).toThrow(/cut off/);
  });

  test('is refused with any byte changed', () => {
    for (let at = 0; at < FILE.length; at++) {
      const damaged = Uint8Array.from(FILE);
      damaged[at] = (damaged[at] ?? 0) ^ 0x40;
      expect(() => readAll(damaged), `byte ${at}`).toThrow(DecodeError);
    }
  });

  test('is refused with pieces lost, doubled or in another order', () => {
    const [first = FILE, second = FILE, third = FILE] = PIECES;
    const begin = new BackupWriter().begin();
    const end = FILE.subarray(-8);
    const bodies = [
      [first, third],
      [first, second, second, third],
      [first, third, second],
    ].map((pieces) => pieces.map((piece) => new BackupWriter().piece(piece)));
    for (const body of bodies) {
      const file = Uint8Array.from([begin, ...body, end].flatMap((part) => [...part]));
      expect(() => readAll(file)).toThrow(/checksum of the whole/);
    }
  });

  test('is refused with anything behind its end', () => {
    expect(() => readAll(Uint8Array.of(...FILE, 0))).toThrow(/more behind its end/);
    expect(() => readAll(Uint8Array.of(...FILE, 0), 1)).toThrow(/more behind its end/);
  });

  test('of another program is refused as such', () => {
    const text = new TextEncoder().encode('{"name":"local"}');
    expect(() => readAll(text)).toThrow(/no backup of holdfast/);
    expect(() => readAll(new Uint8Array())).toThrow(/no backup of holdfast/);
  });

  test('of a newer format is refused, and says so', () => {
    const newer = Uint8Array.from(FILE);
    newer[16] = 2;
    expect(() => readAll(newer)).toThrow(/format 2, and this program reads 1/);
  });
});
