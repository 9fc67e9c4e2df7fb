// Damage to files, and nothing else.

import { readFileSync, writeFileSync } from 'node:fs';

/** Flips one bit of the byte there. Twice is as good as never. */
export function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  const byte = bytes[at];
  if (byte === undefined) throw new Error(`${path} has ${bytes.length} bytes, and no byte ${at}`);
  bytes[at] = byte ^ 0x04;
  writeFileSync(path, bytes);
}
