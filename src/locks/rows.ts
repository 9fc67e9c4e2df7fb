// Rows: the state cut into small pieces, each with a key and a positional value (RAFT.md §9).
// Checkpoints write the pieces that changed; the state hash is the sum of the pieces' hashes, so
// it does not depend on the order in which a node came to have them.

import { Hasher, hex32 } from '../base/hash.ts';
import type { Index } from '../base/units.ts';
import type { ChangedRow, Row, RowValue } from './machine-types.ts';

/** Rows that the sum may lack, then each further change sums up an older one. */
const UNSUMMED_MAX = 16_384;

/** In the place of a place in a list: not there. */
const NOWHERE = -1;
/** Not among the changed rows, but its key among those of rows that are gone. */
const GONE = -2;

/** A piece of state that is one row. */
export abstract class StateRow {
  /**
   * Lanes of the hash while `isSummed`, as signed numbers: those do not need a place of their own
   * in memory, of which a million rows would have two each.
   */
  low = 0;
  high = 0;
  /** Whether the ledger's sum contains the present value. */
  isSummed = false;
  /** Whether it was handed out as changed, so that a checkpoint may hold it. */
  isReported = false;
  /** Place in the ledger's lists, or NOWHERE. */
  unsummedAt = NOWHERE;
  /** Likewise; GONE: see there. */
  changedAt = NOWHERE;

  /** Never used by another piece, neither before nor after: what is gone may itself come back. */
  abstract rowKey(): string;
  abstract rowValue(): RowValue;
}

/** Keeps account of which rows changed, and of the sum of all; hashes only what it must. */
export class RowLedger {
  /** Rows whose present value the sum does not contain. At most UNSUMMED_MAX. */
  private readonly unsummed: StateRow[] = [];
  /** Living rows that changed since the last take. */
  private readonly changed: StateRow[] = [];
  /** Keys that were reported once and whose rows are gone. Bounded by what was reported. */
  private readonly gone = new Set<string>();
  private sumLow = 0;
  private sumHigh = 0;

  /** Call when a row begins to exist, and after each change of what its value is made of. */
  touch(row: StateRow): void {
    this.subtract(row);
    if (row.unsummedAt === NOWHERE) row.unsummedAt = this.unsummed.push(row) - 1;
    if (row.changedAt < 0) this.listChanged(row);
    if (this.unsummed.length <= UNSUMMED_MAX) return;
    const oldest = this.unsummed[0];
    if (oldest !== undefined)
      this.sumUp(oldest, { key: oldest.rowKey(), value: oldest.rowValue() });
  }

  /** Call before a row ceases to exist, while it still has its key. */
  drop(row: StateRow): void {
    this.subtract(row);
    this.unlistUnsummed(row);
    this.unlistChanged(row);
    // A row that came and went between two takes was never seen by anybody: no trace of it.
    if (!row.isReported) return;
    this.gone.add(row.rowKey());
    row.isReported = false;
    row.changedAt = GONE;
  }

  /** A row of a checkpoint, whose piece is as the checkpoint says: it counts as unchanged. */
  load(piece: StateRow, row: Row): void {
    this.add(piece, rowHash(row));
    piece.isReported = true;
  }

  /** How many rows `takeChanges` would give. */
  changedCount(): number {
    return this.changed.length + this.gone.size;
  }

  /**
   * Rows that appeared, changed or vanished and were not taken since, each once, as they are now;
   * at most `limit`.
   */
  takeChanges(limit: number): readonly ChangedRow[] {
    const changes: ChangedRow[] = [];
    for (const key of this.gone) {
      if (changes.length === limit) return changes;
      this.gone.delete(key);
      changes.push({ key, value: null });
    }
    // From the end: those before it keep their places.
    const from = Math.max(0, this.changed.length + changes.length - limit);
    for (const row of this.changed.splice(from)) {
      row.isReported = true;
      row.changedAt = NOWHERE;
      const change = { key: row.rowKey(), value: row.rowValue() };
      // Whoever takes the changes asks for the sum too: so each is read once.
      if (!row.isSummed) this.sumUp(row, change);
      changes.push(change);
    }
    return changes;
  }

  /** Sum of the hashes of all rows: 16 hex digits. */
  stateHash(): string {
    for (let row = this.unsummed.at(-1); row !== undefined; row = this.unsummed.at(-1)) {
      this.sumUp(row, { key: row.rowKey(), value: row.rowValue() });
    }
    return hex32(this.sumHigh) + hex32(this.sumLow);
  }

  private sumUp(row: StateRow, { key, value }: Row): void {
    this.unlistUnsummed(row);
    this.add(row, rowHash({ key, value }));
  }

  private add(row: StateRow, [low, high]: readonly [number, number]): void {
    row.low = low | 0;
    row.high = high | 0;
    row.isSummed = true;
    this.sumLow = (this.sumLow + low) >>> 0;
    this.sumHigh = (this.sumHigh + high) >>> 0;
  }

  private subtract(row: StateRow): void {
    if (!row.isSummed) return;
    this.sumLow = (this.sumLow - row.low) >>> 0;
    this.sumHigh = (this.sumHigh - row.high) >>> 0;
    row.isSummed = false;
  }

  // The last of the list takes the place of the one that leaves: no search, no gap.
  private unlistUnsummed(row: StateRow): void {
    if (row.unsummedAt === NOWHERE) return;
    const last = this.unsummed.pop();
    if (last !== undefined && last !== row) {
      this.unsummed[row.unsummedAt] = last;
      last.unsummedAt = row.unsummedAt;
    }
    row.unsummedAt = NOWHERE;
  }

  // A row that was gone and comes back under its key: the checkpoint may hold it as it was.
  private listChanged(row: StateRow): void {
    if (row.changedAt === GONE) row.isReported = this.gone.delete(row.rowKey());
    row.changedAt = this.changed.push(row) - 1;
  }

  private unlistChanged(row: StateRow): void {
    if (row.changedAt < 0) return;
    const last = this.changed.pop();
    if (last !== undefined && last !== row) {
      this.changed[row.changedAt] = last;
      last.changedAt = row.changedAt;
    }
    row.changedAt = NOWHERE;
  }
}

/** Hash of one row, as two unsigned 32-bit lanes; the state hash sums each lane modulo 2^32. */
export function rowHash(row: Row): readonly [number, number] {
  const hasher = new Hasher().text(row.key);
  feed(hasher, row.value);
  return hasher.lanes();
}

/** Hash of a whole state from its rows, in any order; equals `stateHash` of the machine. */
export function hashOfRows(rows: Iterable<Row>): string {
  let sumLow = 0;
  let sumHigh = 0;
  for (const row of rows) {
    const [low, high] = rowHash(row);
    sumLow = (sumLow + low) >>> 0;
    sumHigh = (sumHigh + high) >>> 0;
  }
  return hex32(sumHigh) + hex32(sumLow);
}

/**
 * The key of a session's row. Those of what it has begin with it, so that in key order they follow
 * their session.
 */
export function sessionKey(index: Index): string {
  return `s/${keyNumber(index)}`;
}

/** The rows of pieces, one after another. */
export function* rowsOf(pieces: Iterable<StateRow>): Iterable<Row> {
  for (const piece of pieces) yield { key: piece.rowKey(), value: piece.rowValue() };
}

/**
 * Order-preserving text of a safe integer that is not negative: 14 hex digits. Every row's key has
 * one or two, and of large numbers the language makes such a text in six times as long.
 */
export function keyNumber(value: number): string {
  return sevenDigits(Math.floor(value / 2 ** 28)) + sevenDigits(value % 2 ** 28);
}

/** Of a number below 2^28. */
function sevenDigits(value: number): string {
  return String.fromCharCode(
    hexDigit(value >>> 24),
    hexDigit(value >>> 20),
    hexDigit(value >>> 16),
    hexDigit(value >>> 12),
    hexDigit(value >>> 8),
    hexDigit(value >>> 4),
    hexDigit(value),
  );
}

/** The character of the lowest four bits. */
function hexDigit(value: number): number {
  const digit = value & 15;
  return digit < 10 ? 0x30 + digit : 0x57 + digit;
}

// A tag before each value keeps "1" and 1, null and false, [[a], b] and [a, [b]] apart.
function feed(hasher: Hasher, value: RowValue): void {
  if (value === null) hasher.u32(0);
  else if (typeof value === 'string') hasher.u32(1).text(value);
  else if (typeof value === 'number') hasher.u32(2).number(value);
  else if (typeof value === 'boolean') hasher.u32(value ? 4 : 3);
  else {
    hasher.u32(5).u32(value.length);
    for (const part of value) feed(hasher, part);
  }
}
