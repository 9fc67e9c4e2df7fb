// A backup as a file: a magic text, the version of the format, then pieces of bytes, each with its
// length and checksum, and a checksum of the whole. The pieces are a header and then those of a
// transfer: what the checkpoint says of itself, its rows, its end (checkpoint.ts). So a file that
// was cut, or in which any byte changed, is refused before anything is made of it.

import { crc32c } from '../base/hash.ts';
import { viewOf } from './binary.ts';
import { DecodeError } from './decode-error.ts';
import { pack, unpack } from './msgpack.ts';
import { Reader } from './reader.ts';

const MAGIC = new TextEncoder().encode('holdfast-backup\n');
/** The format that this program writes, and the newest that it reads. */
const FORMAT_VERSION = 1;
const VERSION_BYTES = 4;
/** Before a piece: its length and its CRC-32C, both u32 little-endian. */
const FRAME_BYTES = 8;
/** More than any piece has: a length beyond it is damage, and nothing to wait for. */
const PIECE_BYTES_MAX = 16 * 1024 * 1024;

/** The first piece, for people: what the file is of, without reading it all. */
export interface BackupHeader {
  readonly clusterName: string;
  readonly clusterId: string;
  /** By the clock of the machine that wrote it; for display. */
  readonly createdMs: number;
  /** Of the program that wrote it. */
  readonly version: string;
}

/** Content of the first piece. */
export function encodeBackupHeader(header: BackupHeader): Uint8Array {
  return pack([header.clusterName, header.clusterId, header.createdMs, header.version]);
}

/** Throws DecodeError. */
export function decodeBackupHeader(bytes: Uint8Array): BackupHeader {
  const read = new Reader(unpack(bytes), 'header');
  return read.done({
    clusterName: read.text('clusterName'),
    clusterId: read.text('clusterId'),
    createdMs: read.integer('createdMs'),
    version: read.text('version'),
  });
}

/** Makes the bytes of a file, to be written one after the other. */
export class BackupWriter {
  private crc = 0;

  /** Comes first. */
  begin(): Uint8Array {
    const bytes = new Uint8Array(MAGIC.length + VERSION_BYTES);
    bytes.set(MAGIC);
    viewOf(bytes).setUint32(MAGIC.length, FORMAT_VERSION, true);
    return this.counted(bytes);
  }

  /** One piece, of at least one byte. */
  piece(content: Uint8Array): Uint8Array {
    const bytes = new Uint8Array(FRAME_BYTES + content.length);
    viewOf(bytes).setUint32(0, content.length, true);
    viewOf(bytes).setUint32(4, crc32c(content), true);
    bytes.set(content, FRAME_BYTES);
    return this.counted(bytes);
  }

  /** Comes last: a piece of no length, and the checksum of everything before it. */
  end(): Uint8Array {
    const bytes = new Uint8Array(FRAME_BYTES);
    viewOf(bytes).setUint32(4, this.crc, true);
    return bytes;
  }

  private counted(bytes: Uint8Array): Uint8Array {
    this.crc = crc32c(bytes, this.crc);
    return bytes;
  }
}

/**
 * Takes a file apart, however it is cut into reads. Every method throws DecodeError with a message
 * for whoever has the file.
 */
export class BackupReader {
  private rest: Uint8Array = new Uint8Array();
  private position = 0;
  private crc = 0;
  private hasBegun = false;
  private isOver = false;

  /** The next bytes; returns the pieces that are whole now, as copies. */
  take(bytes: Uint8Array): readonly Uint8Array[] {
    const joined = new Uint8Array(this.rest.length + bytes.length);
    joined.set(this.rest);
    joined.set(bytes, this.rest.length);
    this.rest = joined;
    const pieces: Uint8Array[] = [];
    if (!this.hasBegun && !this.readBeginning()) return pieces;
    for (let piece = this.next(); piece !== null; piece = this.next()) pieces.push(piece);
    return pieces;
  }

  /** The file is over. */
  end(): void {
    if (!this.hasBegun) throw notOurs();
    if (this.isOver) return;
    throw new DecodeError(`the file is cut off: it ends after ${this.position} bytes`);
  }

  private readBeginning(): boolean {
    const isOurs = MAGIC.every((byte, at) => at >= this.rest.length || this.rest[at] === byte);
    if (!isOurs) throw notOurs();
    if (this.rest.length < MAGIC.length + VERSION_BYTES) return false;
    const version = viewOf(this.rest).getUint32(MAGIC.length, true);
    if (version !== FORMAT_VERSION) {
      const text = `the file has format ${version}, and this program reads ${FORMAT_VERSION}`;
      throw new DecodeError(`${text}: use the version of holdfast that wrote it, or a newer one`);
    }
    this.hasBegun = true;
    this.skip(MAGIC.length + VERSION_BYTES);
    return true;
  }

  private next(): Uint8Array | null {
    if (this.isOver && this.rest.length > 0) throw this.damaged('there is more behind its end');
    if (this.rest.length < FRAME_BYTES) return null;
    const view = viewOf(this.rest);
    const length = view.getUint32(0, true);
    const crc = view.getUint32(4, true);
    if (length === 0) return this.finish(crc);
    if (length > PIECE_BYTES_MAX) throw this.damaged('no piece is as long as it says');
    if (this.rest.length < FRAME_BYTES + length) return null;
    const content = this.rest.slice(FRAME_BYTES, FRAME_BYTES + length);
    if (crc32c(content) !== crc) throw this.damaged('a checksum is wrong');
    this.skip(FRAME_BYTES + length);
    return content;
  }

  private finish(crc: number): null {
    if (crc !== this.crc) throw this.damaged('the checksum of the whole is wrong');
    this.isOver = true;
    this.skip(FRAME_BYTES);
    if (this.rest.length > 0) throw this.damaged('there is more behind its end');
    return null;
  }

  private skip(length: number): void {
    this.crc = crc32c(this.rest.subarray(0, length), this.crc);
    this.rest = this.rest.subarray(length);
    this.position += length;
  }

  private damaged(what: string): DecodeError {
    return new DecodeError(`the file is damaged at byte ${this.position}: ${what}`);
  }
}

function notOurs(): DecodeError {
  return new DecodeError('the file is no backup of holdfast');
}
