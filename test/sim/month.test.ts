// Hours instead of a month, with all that a month has; the counts are those of hours.

import { describe, expect, test } from 'vitest';
import { runMonth } from '../../sim/month/month.ts';
import { Ledger } from '../../sim/month/ledger.ts';
import { Verdict } from '../../sim/oracle/verdict.ts';

const SHORT = { days: 0.16, seed: 5 };

describe('a month of cluster time', () => {
  test('R-69 R-75 INV-16 clusters that fail, change and come back keep promises', async () => {
    const { tally, violation } = await runMonth(SHORT);
    expect(violation).toBeNull();
    expect(tally.timeMs).toBeGreaterThanOrEqual(SHORT.days * 24 * 3_600_000);
    expect(tally.operations).toBeGreaterThan(0.6 * (tally.timeMs / 1_000));
    expect(tally.restores).toBe(4);
    expect(tally.replacements).toBeGreaterThanOrEqual(2);
    expect(tally.installs).toBeGreaterThanOrEqual(2);
    expect(tally.compactions).toBeGreaterThanOrEqual(20);
    expect(tally.elections).toBeGreaterThanOrEqual(5);
    expect(tally.staleWritesRefused).toBeGreaterThan(0);
    expect(tally.lines().join('\n')).toMatch(/restores +4\n/);
  });

  test('DET-1 the same seed is the same month', async () => {
    const brief = { days: 0.05, seed: 1 };
    const first = await runMonth(brief);
    expect(first.violation).toBeNull();
    expect(first.traceHash).toMatch(/^[0-9a-f]{16}$/);
    expect((await runMonth(brief)).traceHash).toBe(first.traceHash);
  });
});

describe('the ledger of a month', () => {
  const write = { name: 'a', token: 10, by: 'x' };
  const granted = (token: number) => {
    return { type: 'granted', session: 's', acquireSeq: 1, token, names: ['a'] } as const;
  };

  test('INV-16 a restored cluster that gives an old token again breaks its promise', () => {
    const verdict = new Verdict(() => 0);
    const ledger = new Ledger(verdict);
    ledger.begin(verdict).onGranted?.({ ...granted(10), slots: [], value: null }, 0);
    const listener = ledger.begin(verdict);
    listener.onGranted?.({ ...granted(11), slots: [], value: null }, 0);
    expect(verdict.violation).toBeNull();
    ledger.begin(verdict).onGranted?.({ ...granted(11), slots: [], value: null }, 0);
    expect(verdict.violation?.oracle).toBe('INV-16');
  });

  test('INV-17 a holder of an older token than the store has seen is no holder', () => {
    const verdict = new Verdict(() => 0);
    const ledger = new Ledger(verdict);
    ledger.write(write);
    ledger.write({ ...write, token: 12 });
    expect(verdict.violation).toBeNull();
    ledger.write({ ...write, token: 11 });
    expect(verdict.violation?.oracle).toBe('INV-17');
  });

  test('clients of an older cluster that wake up are refused by the store, once', () => {
    const verdict = new Verdict(() => 0);
    const ledger = new Ledger(verdict);
    ledger.write(write);
    ledger.begin(verdict);
    ledger.write({ ...write, token: 20 });
    ledger.wakeStale();
    ledger.wakeStale();
    expect(ledger.staleWritesRefused).toBe(1);
    expect(verdict.violation).toBeNull();
  });
});
