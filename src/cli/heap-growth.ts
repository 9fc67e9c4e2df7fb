import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** From so much memory in use by objects, the heap is kept close to what lives. */
const LARGE_HEAP_BYTES = 192 * 1024 * 1024;
/** A large heap is collected as a whole when it has grown by so much since the last time. */
const GROWTH_PERCENT = 50;
const LOOK_MS = 1_000;

/**
 * Left to itself, V8 lets a heap grow to between two and four times what lives in it before it
 * collects the whole: with a million locks held, a node would take a GiB more than it needs. It is
 * cheap to wait while the heap is small, so only a large one is told to. For a process that is a
 * node and nothing else: the flag counts for all that runs in it.
 */
export function boundHeapGrowth(): void {
  const look = setInterval(() => {
    if (getHeapStatistics().used_heap_size < LARGE_HEAP_BYTES) return;
    setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
    clearInterval(look);
  }, LOOK_MS);
  look.unref();
}
