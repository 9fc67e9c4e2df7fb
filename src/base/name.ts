// The rule for lock names, the same in library, HTTP, command line and apply (DESIGN.md §5).

/** Longest lock name in bytes of UTF-8. */
export const NAME_BYTES_MAX = 512;

/** Length of a text in UTF-8 bytes, or -1 when it is not well-formed (a lone surrogate). */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 3;
    else {
      const next = text.charCodeAt(at + 1);
      if (unit > 0xdbff || !(next >= 0xdc00 && next <= 0xdfff)) return -1;
      bytes += 4;
      at++;
    }
  }
  return bytes;
}

/** Nearly all names: each character is a byte, and none is a control character. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || unit >= 0x7f) return false;
  }
  return true;
}

function hasControlCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || (unit >= 0x7f && unit <= 0x9f)) return true;
  }
  return false;
}

/**
 * Why a text is no lock name, or null when it is one: 1 to `bytesMax` bytes of well-formed UTF-8
 * without control characters, and not "." or ".." (no URL can carry them).
 */
export function nameProblem(name: string, bytesMax: number = NAME_BYTES_MAX): string | null {
  const isPlainName = isPlain(name);
  const bytes = isPlainName ? name.length : utf8Length(name);
  if (bytes === -1) return 'a name must be well-formed Unicode; it has a lone surrogate';
  if (bytes === 0) return 'a name must have at least 1 byte; it is empty';
  if (bytes > bytesMax) return `a name may have at most ${bytesMax} bytes; it has ${bytes}`;
  if (name === '.' || name === '..') return `"${name}" cannot be a name: no URL can carry it`;
  if (!isPlainName && hasControlCharacter(name)) return 'a name may not contain control characters';
  return null;
}

/** Order of two well-formed texts by their UTF-8 bytes; never by locale. */
export function compareUtf8(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

// UTF-16 puts surrogates (code points from U+10000) below U+E000; UTF-8 puts them above.
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
