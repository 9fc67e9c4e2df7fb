// docs/guarantees.md speaks in codes: they must exist, and none that ends a grant may be missing.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isErrorCode } from '../../src/base/error.ts';
import { LOSS_CODES } from '../../src/client/loss.ts';

const text = readFileSync(new URL('../../docs/guarantees.md', import.meta.url), 'utf8');
const named = new Set(
  [...text.matchAll(/`([A-Z]+(?:_[A-Z]+)+|BROKEN|CLOSED|UNAVAILABLE)`/g)].map(codeOf),
);

function codeOf(match: RegExpMatchArray): string {
  return match[1] ?? '';
}

/** The rows of the table that begins with this heading. */
function tableUnder(heading: string): string[] {
  const section = text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
}

describe('docs/guarantees.md', () => {
  test('D15 names only codes that exist', () => {
    expect(named.size).toBeGreaterThan(10);
    expect([...named].filter((code) => !isErrorCode(code))).toEqual([]);
  });

  test('D15 tells of every way in which a grant can be lost', () => {
    expect(LOSS_CODES.filter((code) => !named.has(code))).toEqual([]);
  });

  test('B14 answers what an isolated holder sees, and every other case of the reports', () => {
    const rows = tableUnder('What the holder sees').join('\n');
    const cases = [
      'process pauses',
      'suspended',
      'partitioned',
      'server is down',
      'wall clock jumps',
      'breaks the lock',
      'client closes',
    ];
    expect(cases.filter((words) => !rows.includes(words))).toEqual([]);
    expect(text).toContain('When the isolated or paused holder comes back');
  });

  test('I3 advises a short TTL with renewals and a bound on holding', () => {
    expect(text).toContain('An hour-long TTL is an hour-long wait after a crash');
    expect(text).toContain('maxHoldMs');
  });
});
