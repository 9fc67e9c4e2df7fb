import { expect, test } from 'vitest';
import { DEFAULT_LIMITS, UNNUMBERED_SEQ_MIN } from '../../src/locks/commands.ts';
import type { Command } from '../../src/locks/commands.ts';
import { createLockMachine } from '../../src/locks/machine.ts';

test('requests without a number of their own fill no window', () => {
  const machine = createLockMachine({ ...DEFAULT_LIMITS, windowMax: 2 });
  let index = 0;
  const apply = (command: Command) => machine.apply(++index, 1, command).outcome;
  const nonce = 'AAAAAAAAAAAAAAAA';
  const opening = { op: 'openSession', nonce, ttlMs: 5_000, lockDelayMs: 0, name: '', meta: '{}' };
  const opened = apply({ ...opening, op: 'openSession', stampMs: 0 });
  const session = opened.code === 'OPENED' ? opened.session : '';
  const numbered = (seq: number) => ({ session, seq, ackedBelow: 0, bodyHash: seq });
  for (let round = 0; round < 20; round++) {
    const seq = UNNUMBERED_SEQ_MIN + 2 * round;
    const granted = apply({
      op: 'acquire',
      ...numbered(seq),
      items: [{ name: 'a', mode: 'exclusive', permits: null }],
      waitMs: 0,
      meta: '{}',
      value: null,
      stampMs: 0,
    });
    expect(granted).toEqual({ code: 'GRANTED', token: index, slots: [] });
    const token = index;
    const name = 'a';
    const released = apply({ op: 'release', ...numbered(seq + 1), name, acquireSeq: seq, token });
    expect(released).toEqual({ code: 'DONE' });
  }
  machine.checkInvariants();
});
