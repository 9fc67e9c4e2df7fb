import { describe, expect, test } from 'vitest';
import { handOver } from '../../src/node/hand-over.ts';
import { ManualClock } from './manual-clock.ts';

describe('handing leadership over', () => {
  test('ends with the decision, or after an election time-out without one', () => {
    const clock = new ManualClock();
    let decide = (): void => {};
    const decisions = {
      transfer: (_to: string | null, done: (refusal: null) => void) => {
        decide = () => done(null);
      },
    };
    let ends = 0;
    handOver({ clock, electionMs: 500, decisions }, () => ends++);
    clock.advance(100_000);
    expect(ends).toBe(0);
    decide();
    expect(ends).toBe(1);
    expect(clock.timerCount()).toBe(0);
    handOver({ clock, electionMs: 500, decisions }, () => ends++);
    clock.advance(500_000);
    expect(ends).toBe(2);
    decide();
    expect(ends).toBe(2);
  });
});
