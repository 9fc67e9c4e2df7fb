import type { Clock } from '../../ports/clock.ts';
import type { KeyValue, KeyValueOp, Stored } from '../../ports/storage.ts';

const US_PER_S = 1_000_000;

/** The same store; `onBatch` is told how many seconds each batch took until it was on disk. */
export function timedStore(
  store: KeyValue,
  clock: Pick<Clock, 'monoUs'>,
  onBatch: (seconds: number) => void,
): KeyValue {
  return {
    open: (create, done) => store.open(create, done),
    batch: (ops: Iterable<KeyValueOp>, done: (result: Stored<void>) => void) => {
      const beganUs = clock.monoUs();
      store.batch(ops, (result) => {
        onBatch((clock.monoUs() - beganUs) / US_PER_S);
        done(result);
      });
    },
    range: (from, to, maxBytes, done) => store.range(from, to, maxBytes, done),
    snapshot: (done) => store.snapshot(done),
    freeBytes: (done) => store.freeBytes(done),
    close: (done) => store.close(done),
  };
}
