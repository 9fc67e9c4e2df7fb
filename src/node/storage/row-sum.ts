import { hex32 } from '../../base/hash.ts';
import { rowHash } from '../../locks/rows.ts';
import type { StoredRow } from '../../wire/checkpoint.ts';
import { DecodeError } from '../../wire/msgpack.ts';
import { decodeRowValue } from '../../wire/rows.ts';
import { stateDamaged } from './exits.ts';
import type { StorageExit } from './types.ts';

/**
 * Sums up the stored rows of a checkpoint while they are read for somebody else. Each row has a
 * checksum of its own; that one is missing shows only in the sum, and whoever gets the rows could
 * not tell whose disk lost it.
 */
export class RowSum {
  private low = 0;
  private high = 0;

  /** Each row of the checkpoint once, in any order. The exit when one of them cannot be read. */
  add(rows: readonly StoredRow[]): StorageExit | null {
    try {
      for (const { key, value } of rows) {
        const [low, high] = rowHash({ key, value: decodeRowValue(value) });
        this.low = (this.low + low) >>> 0;
        this.high = (this.high + high) >>> 0;
      }
      return null;
    } catch (error) {
      if (error instanceof DecodeError) return stateDamaged(`${error.message}.`);
      throw error;
    }
  }

  /** To be asked when all rows were added: the exit unless they sum up to `expected`. */
  problem(expected: string): StorageExit | null {
    const found = hex32(this.high) + hex32(this.low);
    if (found === expected) return null;
    return stateDamaged(`its rows sum up to ${found}, and ${expected} was expected.`);
  }
}
