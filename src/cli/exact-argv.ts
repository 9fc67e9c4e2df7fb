// Arguments are bytes, but Node hands them over as text: a file name that is not UTF-8 arrives
// with U+FFFD in place of what was there. A command under a lock must get its own bytes, so we
// look at the bytes that the system keeps, and where text cannot carry them we let sh put them
// back: it prints each argument from octal numbers and becomes the program by exec.

import { readFileSync } from 'node:fs';

/** The last `count` arguments of this process as bytes; null where the system does not tell. */
export function ownArgumentBytes(count: number): readonly Uint8Array[] | null {
  try {
    const list = splitAtZero(readFileSync('/proc/self/cmdline'));
    return list.length < count ? null : list.slice(list.length - count);
  } catch {
    return null;
  }
}

/**
 * A command line that starts the program with exactly these bytes: `argv` itself when text can
 * carry them, otherwise a call of sh that becomes the program.
 */
export function exactArgv(
  argv: readonly string[],
  bytes: readonly Uint8Array[] | null,
): readonly string[] {
  if (bytes === null || bytes.every((value, at) => isSame(value, argv[at] ?? ''))) return argv;
  // The x at the end keeps line feeds, which $( ) would cut off.
  const printed = bytes.map((value) => `"$(printf '${octal(value)}x')"`).join(' ');
  const cut = 'n=$#; while [ $n -gt 0 ]; do a=$1; shift; set -- "$@" "${a%x}"; n=$((n-1)); done';
  return ['/bin/sh', '-c', `set -- ${printed}; ${cut}; exec "$@"`];
}

function isSame(bytes: Uint8Array, text: string): boolean {
  return Buffer.from(text, 'utf8').equals(bytes);
}

function octal(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

// Every argument ends with a zero byte, the empty one too.
function splitAtZero(bytes: Buffer): Uint8Array[] {
  const list: Uint8Array[] = [];
  for (let from = 0, to = bytes.indexOf(0); to !== -1; from = to + 1, to = bytes.indexOf(0, from)) {
    list.push(bytes.subarray(from, to));
  }
  return list;
}
