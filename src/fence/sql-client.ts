// How guards talk to a database server: through one connection of whatever driver the program has.

import { HoldfastError, describeValue } from '../base/error.ts';
import { invalid } from './errors.ts';

/**
 * One connection, as of pg, mysql2 (promises) or mariadb; never a pool, since a transaction belongs
 * to a connection. Of postgres.js: `{ query: (text, values) => sql.unsafe(text, values) }`.
 */
export interface SqlConnection {
  /** Sends one statement; rejects with the driver's error. */
  query(text: string, values: unknown[]): Promise<unknown>;
}

/** A row of a result: column names with values. */
export type SqlRow = Readonly<Record<string, unknown>>;

/**
 * Throws INVALID unless it is one connection. A statement given to a pool goes to any of its
 * connections: `BEGIN` to one, the write to another.
 */
export function checkConnection(connection: SqlConnection): void {
  // Callers without types may give anything.
  const given: unknown = connection;
  if (typeof given !== 'object' || given === null || !('query' in given)) {
    throw invalid('connection', 'a connection with query(text, values)', given);
  }
  const isPool = 'totalCount' in given || 'getConnection' in given || 'activeConnections' in given;
  if (!isPool) return;
  const text =
    'connection must be one connection, not a pool, whose statements go to different ones: take ' +
    'one of it (pool.connect() or pool.getConnection()) and give it back afterwards';
  throw new HoldfastError('INVALID', text, { details: { option: 'connection' } });
}

/** The rows of a result: pg has them in a field, mysql2 before the fields, others as they are. */
export function rowsIn(result: unknown): readonly SqlRow[] {
  const list: unknown =
    typeof result === 'object' && result !== null && 'rows' in result ? result.rows : result;
  const isPair = Array.isArray(list) && Array.isArray(list[0]);
  const rows: unknown = isPair ? list[0] : list;
  if (!Array.isArray(rows)) throw unexpected('a list of rows', rows);
  return rows.filter(isRow);
}

/** A whole number that came as a text, a number or a bigint. */
export function tokenIn(value: unknown): number {
  const isNumeric = ['string', 'number', 'bigint'].includes(typeof value);
  const number = isNumeric ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw unexpected('a token', value);
}

function unexpected(expected: string, value: unknown): HoldfastError {
  const text = `the database must answer with ${expected} (got ${describeValue(value)})`;
  return new HoldfastError('STORAGE', text, { outcome: 'unknown' });
}

function isRow(value: unknown): value is SqlRow {
  return typeof value === 'object' && value !== null;
}
