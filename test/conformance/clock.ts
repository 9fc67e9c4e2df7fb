// What every Clock must do; run for the system's and for that of a simulated process. Nothing here
// asks how late a timer is: that is not promised.

import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/ports/clock.ts';

/** Runs a program on a clock of its own until it calls `done`. */
export type ClockRunner = (program: (clock: Clock, done: () => void) => void) => Promise<void>;

/** Defines the suite for clocks of this kind. */
export function clockSuite(name: string, run: ClockRunner): void {
  describe(`${name} as a clock`, () => {
    test('tells whole microseconds that never go back', async () => {
      const readings: number[] = [];
      await run((clock, done) => {
        const look = (left: number): void => {
          readings.push(clock.monoUs());
          if (left === 0) done();
          else clock.after(100, () => look(left - 1));
        };
        look(5);
      });
      expect(readings.every(Number.isSafeInteger)).toBe(true);
      expect(readings).toEqual([...readings].sort((left, right) => left - right));
      expect(readings[5]).toBeGreaterThan(readings[0] ?? 0);
    });

    test('never rings before its time, by its own reading', async () => {
      const delaysUs = [0, 1, 999, 1_000, 1_001, 2_500, 5_000];
      const early: number[] = [];
      await run((clock, done) => {
        let left = delaysUs.length;
        const startUs = clock.monoUs();
        for (const delayUs of delaysUs) {
          clock.after(delayUs, () => {
            if (clock.monoUs() < startUs + delayUs) early.push(delayUs);
            left -= 1;
            if (left === 0) done();
          });
        }
      });
      expect(early).toEqual([]);
    });

    test('never calls back inside the call', async () => {
      const inside: string[] = [];
      await run((clock, done) => {
        let isInside = true;
        clock.after(0, () => isInside && inside.push('after'));
        clock.after(-5, () => isInside && inside.push('after the past'));
        clock.soon(() => isInside && inside.push('soon'));
        isInside = false;
        clock.after(5_000, done);
      });
      expect(inside).toEqual([]);
    });

    test('lets a timer be cancelled before, after and twice', async () => {
      const rung: string[] = [];
      await run((clock, done) => {
        const cancelled = clock.after(1_000, () => rung.push('cancelled'));
        cancelled.cancel();
        cancelled.cancel();
        const kept = clock.after(1_000, () => {
          rung.push('kept');
          kept.cancel();
        });
        clock.after(6_000, done);
      });
      expect(rung).toEqual(['kept']);
    });

    test('calls soon back once, before a timer that is not due', async () => {
      const order: string[] = [];
      await run((clock, done) => {
        clock.after(20_000, () => {
          order.push('after');
          done();
        });
        clock.soon(() => order.push('soon'));
      });
      expect(order).toEqual(['soon', 'after']);
    });

    test('tells time since boot and of day as numbers', async () => {
      const readings: number[] = [];
      await run((clock, done) => {
        readings.push(clock.bootUs(), clock.wallMs());
        clock.soon(done);
      });
      expect(readings.every((reading) => Number.isFinite(reading) && reading >= 0)).toBe(true);
    });

    test('takes delays of years without ringing', async () => {
      let hasRung = false;
      await run((clock, done) => {
        const timer = clock.after(100 * 365 * 86_400 * 1_000_000, () => (hasRung = true));
        clock.after(3_000, () => {
          timer.cancel();
          done();
        });
      });
      expect(hasRung).toBe(false);
    });
  });
}
