// What lives in the heap of this process: what is in use right after the whole heap was collected,
// when the engine does that by itself. Nothing is forced.

import { PerformanceObserver, constants } from 'node:perf_hooks';

const MIB = 1024 * 1024;

const inMib = (bytes) => Math.round((bytes / MIB) * 10) / 10;

/** Returns a function that tells the memory of now, with `heapAfterGcMib` null before the first. */
export function watchHeap() {
  let heapAfterGcMib = null;
  const observer = new PerformanceObserver((list) => {
    const isWhole = list
      .getEntries()
      .some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR);
    if (isWhole) heapAfterGcMib = inMib(process.memoryUsage().heapUsed);
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => {
    const { heapUsed, external } = process.memoryUsage();
    return { heapMib: inMib(heapUsed), heapAfterGcMib, externalMib: inMib(external) };
  };
}
