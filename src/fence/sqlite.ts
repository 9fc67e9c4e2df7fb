// A guard in SQLite, through drivers that do their work before they return. The rule is carried out
// here: in a transaction of SQLite nothing comes between reading and writing.

import { HoldfastError } from '../base/error.ts';
import { checkClaim, checkResource, checkSlot } from './claim.ts';
import type { CheckedClaim, FenceClaim } from './claim.ts';
import { decide } from './decide.ts';
import { invalid } from './errors.ts';
import { isPromise, laterWork } from './promised.ts';
import { UNSEEN } from './rule.ts';
import type { FenceState } from './rule.ts';
import { rowResource } from './row-resource.ts';
import { tokenIn } from './sql-client.ts';
import { SQLITE_SCHEMA } from './sqlite-schema.ts';
import { checkTable, dropping, isAnyProtected, protecting } from './sqlite-triggers.ts';

/** What a guard needs of a database: better-sqlite3, libsql and node:sqlite have it. */
export interface SqliteLike {
  /** Runs statements. Throws the driver's error. */
  exec(sql: string): unknown;
  /** A statement that can be run with values. Throws the driver's error. */
  prepare(sql: string): SqliteStatement;
}

/** One statement of a database. */
export interface SqliteStatement {
  /** Runs it. */
  run(...values: (string | number)[]): unknown;
  /** Its rows, as objects. */
  all(...values: (string | number)[]): unknown[];
}

/** See sqliteFence. */
export interface SqliteFence<D extends SqliteLike> {
  /** Makes the guard's tables; changes nothing where they are there. */
  setUp(): void;
  /**
   * From now on a row of this table is written only in a transaction that presented a claim for its
   * resource before: `orders/{id}` names one for each row by the value of a column, `orders` one
   * for all. Anything else fails, with a message that begins with NOT_PRESENTED, whatever program
   * writes. Called again, it replaces what was said before. Throws INVALID for no such table.
   */
  protect(table: string, resource: string): void;
  /** Takes the triggers of `protect` away; does nothing where there are none. */
  unprotect(table: string): void;
  /**
   * Checks the claim and remembers it, in the transaction of the caller, which must be open
   * (`BEGIN IMMEDIATE`). Present first, then read and write. Where tables are protected,
   * `withdraw` must be called before the commit, which fails otherwise, and the connection must
   * have `PRAGMA foreign_keys` and `recursive_triggers` on. Throws STALE_TOKEN, and the
   * transaction must be rolled back, INVALID, or the driver's error.
   */
  present(resource: string, claim: FenceClaim): void;
  /** Ends what was presented in this transaction: from here on, protected tables are closed. */
  withdraw(): void;
  /**
   * A whole transaction: begins one, presents, runs `work` and commits; returns what `work`
   * returns, which must do its work before it returns. Throws STALE_TOKEN or INVALID without
   * running it, or the error of `work` or of the driver; nothing is written then.
   */
  write<T>(resource: string, claim: FenceClaim, work: (database: D) => T): T;
  /** What is remembered of a resource, or of a slot of it. Throws INVALID. */
  seen(resource: string, slot?: number): FenceState;
}

/** A guard in SQLite; every process has its own, of its own connection. Throws INVALID. */
export function sqliteFence<D extends SqliteLike>(database: D): SqliteFence<D> {
  // Callers without types may give anything.
  const given: unknown = database;
  const isDatabase =
    typeof given === 'object' && given !== null && 'prepare' in given && 'exec' in given;
  if (!isDatabase) throw invalid('database', 'a database with exec and prepare', given);
  const present = (claim: CheckedClaim): void => {
    const mustOpen = isAnyProtected(database);
    if (mustOpen) checkSettings(database);
    const rows = decide(claim, (slot) => stateOf(database, claim.resource, slot));
    for (const [slot, state] of rows) remember(database, claim.resource, slot, state);
    if (mustOpen) database.prepare(MARK).run(claim.resource);
  };
  const withdraw = (): void => {
    database.exec('DELETE FROM main.holdfast_presented');
  };
  return {
    setUp: () => inTransaction(database, () => each(database, SQLITE_SCHEMA)),
    protect(table, resource) {
      const parts = rowResource(resource);
      checkTable(database, table, parts);
      const triggers = protecting(table, parts);
      inTransaction(database, () => {
        each(database, dropping(database, table));
        each(database, triggers);
      });
    },
    unprotect: (table) => inTransaction(database, () => each(database, dropping(database, table))),
    present(resource, claim) {
      const checked = checkClaim(resource, claim);
      refuseOutside(database);
      present(checked);
    },
    withdraw,
    write(resource, claim, work) {
      const checked = checkClaim(resource, claim);
      if (typeof work !== 'function') throw invalid('work', 'a function', work);
      return inTransaction(database, () => {
        present(checked);
        const result = work(database);
        if (isPromise(result)) throw laterWork('work');
        withdraw();
        return result;
      });
    },
    seen: (resource, slot) => stateOf(database, checkResource(resource), checkSlot(slot)),
  };
}

function inTransaction<T>(database: SqliteLike, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

function rollBack(database: SqliteLike): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // Some errors (a full disk) end a transaction by themselves: there is nothing left to undo.
  }
}

function each(database: SqliteLike, statements: readonly string[]): void {
  for (const statement of statements) database.exec(statement);
}

/**
 * Outside of a transaction the check would be over before the write. There is one way to ask that
 * all drivers have: a transaction begins only where there is none.
 */
function refuseOutside(database: SqliteLike): void {
  try {
    database.exec('BEGIN');
  } catch (error) {
    if (error instanceof Error && error.message.includes('within a transaction')) return;
    throw error;
  }
  database.exec('ROLLBACK');
  const text = 'a claim must be presented in a transaction: run BEGIN IMMEDIATE first';
  throw new HoldfastError('INVALID', text, { details: { option: 'database' } });
}

const READ = `SELECT max_exclusive AS x, max_shared AS s FROM main.holdfast_seen
  WHERE resource = ? AND slot = ?`;
const WRITE = `INSERT INTO main.holdfast_seen VALUES (?, ?, ?, ?) ON CONFLICT (resource, slot)
  DO UPDATE SET max_exclusive = excluded.max_exclusive, max_shared = excluded.max_shared`;
const MARK = 'INSERT INTO main.holdfast_presented (resource) VALUES (?) ON CONFLICT DO NOTHING';

function stateOf(database: SqliteLike, resource: string, slot: number): FenceState {
  const [row] = database.prepare(READ).all(resource, slot);
  if (typeof row !== 'object' || row === null || !('x' in row) || !('s' in row)) return UNSEEN;
  return { maxExclusive: tokenIn(row.x), maxShared: tokenIn(row.s) };
}

function remember(database: SqliteLike, resource: string, slot: number, state: FenceState): void {
  database.prepare(WRITE).run(resource, slot, state.maxExclusive, state.maxShared);
}

/** Throws INVALID where a presentation could be left over, or rows be replaced unseen. */
function checkSettings(database: SqliteLike): void {
  for (const name of ['foreign_keys', 'recursive_triggers']) {
    const [row] = database.prepare(`SELECT ${name} AS isOn FROM pragma_${name}`).all();
    const isOn = typeof row === 'object' && row !== null && 'isOn' in row && Number(row.isOn) === 1;
    if (isOn) continue;
    const text =
      `tables are protected, and this connection has ${name} off, without which they are not: ` +
      `run PRAGMA ${name} = ON when it is opened`;
    throw new HoldfastError('INVALID', text, { details: { option: 'database' } });
  }
}
