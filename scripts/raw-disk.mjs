// How fast the disk alone is: append and fdatasync, one after the other, in a given directory.
// Every figure of the benchmark is read against this one.
//
//   node scripts/raw-disk.mjs [DIRECTORY] [--count N] [--bytes N]

import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

/** Names of the file systems that a lock service is likely to meet (statfs f_type). */
const FILE_SYSTEMS = new Map([
  [0xef53, 'ext4'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0x01021994, 'tmpfs'],
  [0x794c7630, 'overlayfs'],
  [0x6969, 'nfs'],
  [0x2fc12fc1, 'zfs'],
]);

/**
 * Appends `count` blocks of `bytes` bytes to a file of its own in the directory, each followed by
 * fdatasync. Blocks the event loop while it measures, and removes the file afterwards.
 *
 * @param {string} directory where the nodes' data will lie
 * @param {{ count?: number, bytes?: number }} [options]
 * @returns {{ p50Ms: number, p99Ms: number, count: number, bytes: number, fileSystem: string }}
 */
export function measureRawDisk(directory, { count = 500, bytes = 4096 } = {}) {
  const scratch = mkdtempSync(join(directory, 'raw-disk-'));
  const block = new Uint8Array(bytes).fill(7);
  const file = openSync(join(scratch, 'log'), 'a');
  const timesMs = [];
  try {
    for (let at = 0; at < count; at++) {
      const start = performance.now();
      writeSync(file, block);
      fdatasyncSync(file);
      timesMs.push(performance.now() - start);
    }
  } finally {
    closeSync(file);
    rmSync(scratch, { recursive: true, force: true });
  }
  timesMs.sort((left, right) => left - right);
  return {
    p50Ms: quantile(timesMs, 0.5),
    p99Ms: quantile(timesMs, 0.99),
    count,
    bytes,
    fileSystem: fileSystemOf(directory),
  };
}

/** The type of the file system that holds a path, by name where we know it. */
export function fileSystemOf(path) {
  const { type } = statfsSync(path);
  return FILE_SYSTEMS.get(type) ?? `type 0x${type.toString(16)}`;
}

function quantile(sorted, share) {
  const at = Math.min(sorted.length - 1, Math.floor(sorted.length * share));
  return Math.round((sorted[at] ?? 0) * 1000) / 1000;
}

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { count: { type: 'string' }, bytes: { type: 'string' } },
  });
  const directory = resolve(positionals[0] ?? '.');
  const measured = measureRawDisk(directory, {
    count: Number(values.count ?? 500),
    bytes: Number(values.bytes ?? 4096),
  });
  const { p50Ms, p99Ms, count, bytes, fileSystem } = measured;
  console.log(
    `raw append of ${bytes} bytes + fdatasync on ${fileSystem}, ${count} times: ` +
      `p50 ${p50Ms} ms, p99 ${p99Ms} ms`,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
