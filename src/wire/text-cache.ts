/** A power of two. The texts of so many sessions and locks that are used at a time. */
const PLACES = 4_096;
/** Longer texts are rare, and would make the cache large. */
const KEPT_CHARACTERS_MAX = 64;

/**
 * Texts that come again and again in a log, such as the ids of sessions: found by their bytes, so
 * that they are made once. That costs a fifth of making them, and whoever looks them up in a Map
 * finds their hash made as well.
 */
export class TextCache {
  private readonly places: (string | undefined)[] = new Array(PLACES);

  /** The text of so many ASCII bytes; null if there are others among them, or too few. */
  ascii(bytes: Uint8Array, from: number, length: number): string | null {
    if (from + length > bytes.length) return null;
    let hash = length;
    let all = 0;
    for (let at = from; at < from + length; at++) {
      const byte = bytes[at] ?? 0;
      all |= byte;
      hash = Math.imul(hash ^ byte, 0x01000193);
    }
    if (all >= 0x80) return null;
    const place = (hash ^ (hash >>> 15)) & (PLACES - 1);
    const kept = this.places[place];
    if (kept !== undefined && isAt(kept, bytes, from, length)) return kept;
    const text = textAt(bytes, from, length);
    if (length <= KEPT_CHARACTERS_MAX) this.places[place] = text;
    return text;
  }
}

function isAt(text: string, bytes: Uint8Array, from: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let at = 0; at < length; at++) {
    if (text.charCodeAt(at) !== bytes[from + at]) return false;
  }
  return true;
}

function textAt(bytes: Uint8Array, from: number, length: number): string {
  const codes: number[] = [];
  for (let at = from; at < from + length; at++) codes.push(bytes[at] ?? 0);
  return String.fromCharCode(...codes);
}
