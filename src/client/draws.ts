// What is drawn at random so that nobody has to know what another one drew.

import { UNNUMBERED_SEQ_MIN } from '../locks/commands.ts';
import type { Random } from '../ports/random.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const HIGH_BITS = 20;
const LOW_VALUES = 2 ** 32;

/** 96 bits, base64url; names a session before the cluster has. */
export function drawNonce(random: Random): string {
  let text = '';
  for (let at = 0; at < 16; at++) text += ALPHABET[random.u32() >>> 26] ?? '';
  return text;
}

/**
 * A number from 2^52 to 2^53 - 1, for a request that nobody numbers in order: of a caller who gave
 * none, or of a process in the session of another one. No answer is kept for it; the number serves
 * only as the name of a grant. The odds of meeting a living grant's number are below 10,000 in
 * 2^52, and then the request is refused as INVALID, not confused with the other.
 */
export function drawUnnumbered(random: Random): number {
  const high = random.u32() >>> (32 - HIGH_BITS);
  return UNNUMBERED_SEQ_MIN + high * LOW_VALUES + random.u32();
}
