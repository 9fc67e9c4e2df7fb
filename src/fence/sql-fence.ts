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
   * of which the outcome is unknown. The connection must be in no transaction.
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
  setUp(ask: Ask): Promise<void>;
  protect(ask: Ask, table: TableName, resource: RowResource): Promise<void>;
  unprotect(ask: Ask, table: TableName): Promise<void>;
  /** Checks and remembers; rejects with INVALID outside of a transaction. */
  present(ask: Ask, claim: CheckedClaim): Promise<void>;
  /** Selects max_exclusive and max_shared as texts. */
  readonly seen: string;
}

/** Sends a statement and resolves with what the driver does, for rowsIn if there are rows. */
export type Ask = (text: string, values?: readonly unknown[]) => Promise<unknown>;

/** How routines tell of a stale token, in the message of their error. */
const STALE = /STALE_TOKEN: slot (-?\d+) has seen (\d+)/;

/** The guard of a dialect. */
export function sqlFence(dialect: SqlDialect): SqlFence {
  const present = async (connection: SqlConnection, claim: CheckedClaim): Promise<void> => {
    try {
      await dialect.present(asking(connection), claim);
    } catch (error) {
      throw staleIn(error, claim) ?? error;
    }
  };
  return {
    setUp: async (connection) => dialect.setUp(asking(connection)),
    protect: async (connection, table, resource) =>
      dialect.protect(asking(connection), tableName(table), rowResource(resource)),
    unprotect: async (connection, table) => dialect.unprotect(asking(connection), tableName(table)),
    present: async (connection, resource, given) =>
      present(connection, checkClaim(resource, given)),
    async write(connection, resource, given, work) {
      const claim = checkClaim(resource, given);
      if (typeof work !== 'function') throw invalid('work', 'a function', work);
      const ask = asking(connection);
      return inTransaction(ask, dialect.begin, async () => {
        await present(connection, claim);
        return work(connection);
      });
    },
    async seen(connection, resource, slot) {
      const values = [checkResource(resource), checkSlot(slot)];
      const [row] = rowsIn(await asking(connection)(dialect.seen, values));
      if (row === undefined) return UNSEEN;
      return { maxExclusive: tokenIn(row['max_exclusive']), maxShared: tokenIn(row['max_shared']) };
    },
  };
}

function asking(connection: SqlConnection): Ask {
  checkConnection(connection);
  return (text, values = []) => connection.query(text, [...values]);
}

async function inTransaction<T>(ask: Ask, begin: string, work: () => Promise<T>): Promise<T> {
  await ask(begin);
  let result;
  try {
    result = await work();
  } catch (error) {
    // Where this fails too, the connection is gone, and its transaction with it.
    await ask('ROLLBACK').catch(() => undefined);
    throw error;
  }
  if (isRollback(await ask('COMMIT'))) throw swallowed();
  return result;
}

/** PostgreSQL answers so to the commit of a transaction in which a statement had failed. */
function isRollback(ended: unknown): boolean {
  return (
    typeof ended === 'object' &&
    ended !== null &&
    'command' in ended &&
    ended.command === 'ROLLBACK'
  );
}

function swallowed(): HoldfastError {
  const text =
    'nothing was written: a statement of the transaction had failed, its error was not passed on ' +
    'by work, and the database rolled everything back instead of committing it';
  return new HoldfastError('STORAGE', text);
}

function staleIn(error: unknown, { resource, token, mode }: CheckedClaim): HoldfastError | null {
  if (!(error instanceof Error)) return null;
  const [, slot, seen] = STALE.exec(error.message) ?? [];
  if (slot === undefined) return null;
  return staleToken({ resource, slot: Number(slot), token, mode, seen: Number(seen) });
}
