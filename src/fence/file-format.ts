// One version of a guarded file: a line of JSON, then the content as it was given. The line holds
// what was seen, [[slot, largest exclusive, largest shared], …], and the checksum of the rest.

import { HoldfastError } from '../base/error.ts';
import { crc32c } from '../base/hash.ts';
import type { FenceState } from './rule.ts';

const FORMAT = 'holdfast-fence 1';
const NEW_LINE = 10;

/** What a version says. */
export interface FileVersion {
  /** From 1; 0 when there is none. */
  readonly version: number;
  /** Null when there is none. */
  readonly content: Uint8Array | null;
  /** What was seen, by slot. */
  readonly states: ReadonlyMap<number, FenceState>;
}

/** The bytes of a version. */
export function versionBytes(
  content: Uint8Array,
  states: ReadonlyMap<number, FenceState>,
): Uint8Array {
  const seen = [...states].map(([slot, state]) => [slot, state.maxExclusive, state.maxShared]);
  const crc = crcOf(JSON.stringify(seen), content);
  const head = new TextEncoder().encode(`${JSON.stringify({ format: FORMAT, seen, crc })}\n`);
  const bytes = new Uint8Array(head.length + content.length);
  bytes.set(head);
  bytes.set(content, head.length);
  return bytes;
}

/** The reverse. Throws STORAGE for a version that is not as it was written. */
export function readVersion(path: string, version: number, bytes: Uint8Array): FileVersion {
  const end = bytes.indexOf(NEW_LINE);
  const head = parse(new TextDecoder().decode(bytes.subarray(0, Math.max(0, end))));
  const content = bytes.subarray(end + 1);
  if (head === null || crcOf(JSON.stringify(head.seen), content) !== head.crc) {
    const text = `${path} is damaged: remove it only if an older version may count again`;
    throw new HoldfastError('STORAGE', text);
  }
  const states = new Map(
    head.seen.map(([slot = 0, maxExclusive = 0, maxShared = 0]) => [
      slot,
      { maxExclusive, maxShared },
    ]),
  );
  return { version, content, states };
}

interface Head {
  readonly seen: readonly (readonly number[])[];
  readonly crc: number;
}

function parse(text: string): Head | null {
  let head: unknown;
  try {
    head = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof head !== 'object' || head === null || !('seen' in head) || !('crc' in head)) {
    return null;
  }
  if (!('format' in head) || head.format !== FORMAT || typeof head.crc !== 'number') return null;
  const { seen, crc } = head;
  return isRows(seen) ? { seen, crc } : null;
}

function isRows(seen: unknown): seen is number[][] {
  return (
    Array.isArray(seen) &&
    seen.every((row) => Array.isArray(row) && row.length === 3 && row.every(Number.isSafeInteger))
  );
}

function crcOf(seen: string, content: Uint8Array): number {
  return crc32c(content, crc32c(new TextEncoder().encode(seen)));
}
