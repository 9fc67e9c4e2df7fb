import { DecodeError } from './decode-error.ts';

const TWO_32 = 0x1_0000_0000;

/** Where something is written, or read from. */
export interface Place {
  readonly bytes: Uint8Array;
  /** Of the same bytes. */
  readonly view: DataView;
  readonly at: number;
}

/** A view on exactly these bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The same bytes in memory of their own. (`slice` of a Buffer is a view, as `subarray` is.) */
export function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

/** Writes a safe, non-negative integer as 8 bytes, little-endian. */
export function putSafeInteger(view: DataView, at: number, value: number): void {
  view.setUint32(at, value, true); // its low 32 bits
  view.setUint32(at + 4, Math.floor(value / TWO_32), true);
}

/** Reads what putSafeInteger wrote. Throws DecodeError for 2^53 and more. */
export function takeSafeInteger(view: DataView, at: number, what: string): number {
  const low = view.getUint32(at, true);
  const high = view.getUint32(at + 4, true);
  // Left as it is, it stays a small integer of the engine, which takes no memory of its own.
  if (high === 0) return low;
  const value = high * TWO_32 + low;
  if (Number.isSafeInteger(value)) return value;
  throw new DecodeError(`${what}: expected a number below 2^53, got ${value}`);
}
