import { describe, expect, test } from 'vitest';
import type { HostExit } from '../../src/node/host-types.ts';
import { Scrub } from '../../src/node/scrub.ts';
import type { StorageResult } from '../../src/node/storage/types.ts';
import { ManualClock } from './manual-clock.ts';

const SECOND_US = 1_000_000;

describe('the scrub', () => {
  function setUp() {
    const clock = new ManualClock();
    const failed: HostExit[] = [];
    const reads: { bytes: number; done: (result: StorageResult<void>) => void }[] = [];
    const scrub = new Scrub({
      storage: { scrub: (bytes, done) => reads.push({ bytes, done }) },
      clock,
      settings: { bytes: 1_000, periodMs: 10_000 },
      onFailed: (exit) => failed.push(exit),
    });
    scrub.start();
    return { clock, failed, reads, scrub };
  }

  test('reads so much in every period, and not before the last read is done', () => {
    const { clock, reads } = setUp();
    clock.advance(10 * SECOND_US);
    clock.advance(60 * SECOND_US);
    expect(reads.map(({ bytes }) => bytes)).toEqual([1_000]);
    reads[0]?.done({ ok: true, value: undefined });
    clock.advance(10 * SECOND_US);
    expect(reads).toHaveLength(2);
  });

  test('INV-20 ends the node when it finds damage', () => {
    const { clock, reads, failed } = setUp();
    clock.advance(10 * SECOND_US);
    reads[0]?.done({ ok: false, exit: { exitCode: 83, message: 'rot', isDiskFull: false } });
    expect(failed.map(({ exitCode }) => exitCode)).toEqual([83]);
    clock.advance(60 * SECOND_US);
    expect(reads).toHaveLength(1);
  });

  test('reads nothing more when it is stopped', () => {
    const { clock, reads, scrub, failed } = setUp();
    clock.advance(10 * SECOND_US);
    scrub.stop();
    reads[0]?.done({ ok: false, exit: { exitCode: 85, message: 'closed', isDiskFull: false } });
    clock.advance(60 * SECOND_US);
    expect(reads).toHaveLength(1);
    expect(failed).toEqual([]);
  });
});
