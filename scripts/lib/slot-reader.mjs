// Reads a slot file of a node with nothing of ours: length (u32) and content from the start of a
// block; the content begins with a CRC-32C (u32) of what follows it. All numbers little-endian.

import { existsSync, readFileSync } from 'node:fs';
import { Cursor, crc32c } from './level-bytes.mjs';

const HEADER_BYTES = 4;
const CRC_BYTES = 4;

/** `missing`, `wrong checksum` or `whole`. */
export function slotState(path) {
  if (!existsSync(path)) return 'missing';
  const file = readFileSync(path);
  if (file.length < HEADER_BYTES + CRC_BYTES) return 'wrong checksum';
  const length = new Cursor(file).u32();
  const content = file.subarray(HEADER_BYTES, HEADER_BYTES + length);
  if (length > file.length - HEADER_BYTES || length < CRC_BYTES) return 'wrong checksum';
  const isRight = crc32c(content.subarray(CRC_BYTES)) === new Cursor(content).u32();
  return isRight ? 'whole' : 'wrong checksum';
}
