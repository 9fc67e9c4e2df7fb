// Where a resource is kept: a folder of its own, whose name any file system can carry.

/** Characters of one part of a path; file systems carry 255 bytes. */
const PART_CHARS = 200;
/** Digits of a version, so that names sort as numbers do. */
const DIGITS = 16;
const VERSION = /^v\d{16}$/;

/**
 * The folder of a resource below a root. Lower-case letters, digits, `-` and `_` stay; every other
 * byte of its UTF-8 is written as `%` and two hexadecimal digits, capitals too, for some file
 * systems take "A" and "a" for the same. Long names go on in further folders, which begin
 * with `+`.
 */
export function folderOf(root: string, resource: string): string {
  const name = [...new TextEncoder().encode(resource)].map((byte) => {
    const character = String.fromCharCode(byte);
    return /[a-z0-9_-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
  });
  const parts: string[] = [];
  const text = name.join('');
  for (let at = 0; at < text.length; at += PART_CHARS) {
    parts.push((at === 0 ? '' : '+') + text.slice(at, at + PART_CHARS));
  }
  return [root, ...parts].join('/');
}

/** The name of a version. */
export function versionName(version: number): string {
  return `v${String(version).padStart(DIGITS, '0')}`;
}

/** The numbers of the versions among the names in a folder. */
export function versionsIn(names: readonly string[]): readonly number[] {
  return names.filter((name) => VERSION.test(name)).map((name) => Number(name.slice(1)));
}
