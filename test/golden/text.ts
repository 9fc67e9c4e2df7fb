// The text of golden files: for each item what it is, its value as JSON, and its bytes in hex.
//
//   # what it is
//   name
//     value {"…": …}
//     bytes 00112233 …, in lines of 40 bytes

import { present } from '../../src/base/assert.ts';
import type { GoldenItem } from './item.ts';

/** An item as it is pinned. */
export interface Pinned {
  readonly name: string;
  readonly value: unknown;
  readonly bytes: Uint8Array;
}

const LINE_BYTES = 40;

/** The text of a file with these items; `title` comes first. */
export function textOf(title: string, items: readonly GoldenItem[]): string {
  const parts = items.map(({ name, about, value, bytes }) => {
    const lines = [`# ${about}`, name, `  value ${JSON.stringify(value)}`];
    for (let at = 0; at < Math.max(1, bytes.length); at += LINE_BYTES) {
      lines.push(`  bytes ${Buffer.from(bytes.subarray(at, at + LINE_BYTES)).toString('hex')}`);
    }
    return `${lines.join('\n')}\n`;
  });
  return [`# ${title}\n`, ...parts].join('\n');
}

/** The items of a file. Throws for a line that is none of its kinds. */
export function itemsOf(text: string): readonly Pinned[] {
  const items: { name: string; value: unknown; hex: string }[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, field, content = ''] = /^ {2}(value|bytes) (.*)$/.exec(line) ?? [];
    const last = field === undefined ? null : present(items.at(-1), `an item before: ${line}`);
    if (last === null) items.push({ name: line, value: null, hex: '' });
    else if (field === 'value') last.value = JSON.parse(content);
    else last.hex += content;
  }
  return items.map(({ name, value, hex }) => ({ name, value, bytes: Buffer.from(hex, 'hex') }));
}
