// A guard in a database server: what every dialect of SQL has in common. The rule itself is carried
// out by the database, in one step with the locking of the row that remembers.

import { HoldfastError } from '../base/error.ts';
import { checkClaim, checkResource, checkSlot } from './claim.ts';
import type { CheckedClaim, FenceClaim } from './claim.ts';
import { invalid, staleToken } from './errors.ts';
import { UNSEEN } from './rule.ts';
import type { FenceState } from './rule.ts';
import { rowResource, tableName } from './row-resource.ts';
import type { RowResource, TableName } from './row-resource.ts';
import { checkConnection, rowsIn, tokenIn } from './sql-client.ts';
import type { SqlConnection } from './sql-client.ts';

/** A guard in a database server; `connection` is one connection, see SqlConnection. */
export interface SqlFence {
  /**
   * Makes the guard's table and routines, or brings them up to date; changes nothing where they are
   * there. Wants the right to make them, and a connection that is in no transaction.
   */
  setUp(connection: SqlConnection): Promise<void>;
  /**
   * From now on a row of this table (`orders`, `shop.orders`) is written only in a transaction that
   * presented a claim for its resource before: `orders/{id}` names one for each row by the value of
   * a column, `orders` one for all. Anything else fails with SQLSTATE HF001. Called again, it
   * replaces what was said before. Rejects with INVALID when the table cannot be protected.
   */
  protect(connection: SqlConnection, table: string, resource: string): Promise<void>;
  /** Takes the triggers of `protect` away; does nothing where there are none. */
  unprotect(connection: SqlConnection, table: string): Promise<void>;
  /**
   * Checks the claim and remembers it, in the transaction of the caller, which must be open; those
   * who present for the same resource wait until it ends. Present first, then read and write: what
   * was read before may be what a former holder has changed since. Rejects with STALE_TOKEN, and
   * the transaction must be rolled back, with INVALID, or with the driver's error.
   */
  present(connection: SqlConnection, resource: string, claim: FenceClaim): Promise<void>;
  /**
   * A whole transaction: begins one, presents, runs `work` and commits; resolves with what `work`
   * resolves with. Rejects with STALE_TOKEN or INVALID without running it, or with the error of
   * `work` or of the driver: then everything is rolled back, unless it was the commit that failed,
   * of which the outcome is unknown. STORAGE: work ended the transaction itself, or swallowed an
   * error that did. The connection must be in no transaction; a `write` that is open on it, or with
   * pg and MariaDB any transaction, is refused with INVALID. More resources: `present` in `work`.
   */
  write<C extends SqlConnection, T>(
    connection: C,
    resource: string,
    claim: FenceClaim,
    work: (connection: C) => Promise<T>,
  ): Promise<T>;
  /** What is remembered of a resource, or of a slot of it. Rejects with INVALID. */
  seen(connection: SqlConnection, resource: string, slot?: number): Promise<FenceState>;
}

/** What differs between databases. */
export interface SqlDialect {
  readonly begin: string;
  /** Whether a transaction is open, as far as can be told without disturbing it. */
  isOpen(ask: Ask, connection: SqlConnection): Promise<boolean>;
  /** Whether an error of `present` took the whole transaction back and may be met no more. */
  isRetryable(error: unknown): boolean;
  readonly setUp: (ask: Ask) => Promise<void>;
  protect(ask: Ask, table: TableName, resource: RowResource): Promise<void>;
  unprotect(ask: Ask, table: TableName): Promise<void>;
  /** Checks and remembers; rejects with INVALID outside of a transaction. */
  present(ask: Ask, claim: CheckedClaim): Promise<void>;
  /** A statement that selects max_exclusive and max_shared as texts. */
  seen(resource: string, slot: number): { readonly text: string; readonly values: unknown[] };
}

/** Sends a statement and resolves with what the driver does, for rowsIn if there are rows. */
export type Ask = (text: string, values?: readonly unknown[]) => Promise<unknown>;

/** How routines tell of a stale token, in the message of their error. */
const STALE = /STALE_TOKEN: slot (-?\d+) has seen (\d+)/;

/** How often a whole transaction is tried when the database chose it to end a deadlock. */
const ATTEMPTS_MAX = 10;

/** The guard of a dialect. */
export function sqlFence(dialect: SqlDialect): SqlFence {
  const busy = new WeakSet<SqlConnection>();
  // A call that begins transactions of its own is alone on its connection.
  const alone = async <T>(
    connection: SqlConnection,
    work: (ask: Ask) => Promise<T>,
  ): Promise<T> => {
    const ask = asking(connection);
    if (busy.has(connection)) throw inUse();
    busy.add(connection);
    try {
      if (await dialect.isOpen(ask, connection)) throw inUse();
      return await work(ask);
    } finally {
      busy.delete(connection);
    }
  };
  const present = async (connection: SqlConnection, claim: CheckedClaim): Promise<void> => {
    try {
      await dialect.present(asking(connection), claim);
    } catch (error) {
      throw staleIn(error, claim) ?? error;
    }
  };
  return {
    setUp: async (connection) => alone(connection, dialect.setUp),
    protect: async (connection, table, resource) => {
      const [name, parts] = [tableName(table), rowResource(resource)];
      await alone(connection, (ask) => dialect.protect(ask, name, parts));
    },
    unprotect: async (connection, table) => {
      const name = tableName(table);
      await alone(connection, (ask) => dialect.unprotect(ask, name));
    },
    present: async (connection, resource, given) =>
      present(connection, checkClaim(resource, given)),
    async write(connection, resource, given, work) {
      const claim = checkClaim(resource, given);
      if (typeof work !== 'function') throw invalid('work', 'a function', work);
      return alone(connection, async (ask) => {
        await begun(ask, dialect, () => present(connection, claim));
        return committed(ask, () => work(connection));
      });
    },
    async seen(connection, resource, slot) {
      const { text, values } = dialect.seen(checkResource(resource), checkSlot(slot));
      const [row] = rowsIn(await asking(connection)(text, values));
      if (row === undefined) return UNSEEN;
      return { maxExclusive: tokenIn(row['max_exclusive']), maxShared: tokenIn(row['max_shared']) };
    },
  };
}

/** Begins a transaction with what comes first in it, once more where the server gave it up. */
async function begun(ask: Ask, dialect: SqlDialect, first: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await ask(dialect.begin);
    try {
      return await first();
    } catch (error) {
      await rollBack(ask);
      if (attempt === ATTEMPTS_MAX || !dialect.isRetryable(error)) throw error;
    }
  }
}

function asking(connection: SqlConnection): Ask {
  checkConnection(connection);
  return (text, values = []) => connection.query(text, [...values]);
}

/**
 * What `work` resolves with, when its transaction is committed. A savepoint tells at the end
 * whether it is still the one that presented: work may have ended it, and what it wrote after that
 * was checked by nobody.
 */
async function committed<T>(ask: Ask, work: () => Promise<T>): Promise<T> {
  try {
    await ask('SAVEPOINT holdfast_write');
    const result = await work();
    await ask('RELEASE SAVEPOINT holdfast_write').catch((cause: unknown) => {
      throw ended(cause);
    });
    await ask('COMMIT');
    return result;
  } catch (error) {
    await rollBack(ask);
    throw error;
  }
}

/** Where it fails too, the connection is gone, and its transaction with it. */
async function rollBack(ask: Ask): Promise<void> {
  await ask('ROLLBACK').catch(() => undefined);
}

function ended(cause: unknown): HoldfastError {
  const text =
    'the transaction was over, or had failed, before work resolved: work ended it, or did not ' +
    'pass on an error. What it wrote after that was not checked; the rest is taken back';
  return new HoldfastError('STORAGE', text, { cause, outcome: 'unknown' });
}

function inUse(): HoldfastError {
  const text =
    'connection has an open transaction, which this call would end: commit it first, take ' +
    'another connection, or use present, which belongs to the transaction that is open';
  return new HoldfastError('INVALID', text, { details: { option: 'connection' } });
}

function staleIn(error: unknown, { resource, token, mode }: CheckedClaim): HoldfastError | null {
  if (!(error instanceof Error)) return null;
  const [, slot, seen] = STALE.exec(error.message) ?? [];
  if (slot === undefined) return null;
  return staleToken({ resource, slot: Number(slot), token, mode, seen: Number(seen) });
}
