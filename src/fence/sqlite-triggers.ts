// Triggers of protected tables in SQLite.

import { checkColumns, tableName, tableProblem } from './row-resource.ts';
import type { RowResource } from './row-resource.ts';
import type { SqliteLike } from './sqlite.ts';

/** The rows that each kind of write has: one may not be moved to, or from, another resource. */
const EVENTS = { INSERT: ['NEW'], UPDATE: ['OLD', 'NEW'], DELETE: ['OLD'] };

/** Throws INVALID when there is no such table, or it has no such columns. */
export function checkTable(database: SqliteLike, name: string, resource: RowResource): void {
  const table = only(name);
  const found = database.prepare(
    `SELECT name FROM pragma_table_info(?) WHERE ? IN
      (SELECT name FROM sqlite_master WHERE type = 'table')`,
  );
  const columns = found.all(table, table).flatMap(nameIn);
  checkColumns(table, resource, columns);
}

/** Whether any table of the database is. */
export function isAnyProtected(database: SqliteLike): boolean {
  const found = database.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'trigger' AND name GLOB 'holdfast_*' LIMIT 1`,
  );
  return found.all().length > 0;
}

/** The statements that make the triggers of a table. */
export function protecting(name: string, { texts, columns }: RowResource): readonly string[] {
  const table = only(name);
  const refusal = text(
    `NOT_PRESENTED: table ${table} is protected, and this transaction presented no token for ` +
      `the resource of a row`,
  );
  return Object.entries(EVENTS).map(([event, rows]) => {
    const checks = rows.map((row) => {
      const parts = texts.flatMap((each, at) => [
        text(each),
        ...columns.slice(at, at + 1).map((column) => `${row}.${identifier(column)}`),
      ]);
      return `SELECT RAISE(ABORT, ${refusal}) WHERE NOT EXISTS (
        SELECT 1 FROM holdfast_presented WHERE resource IS (${parts.join(' || ')}));`;
    });
    return `CREATE TRIGGER ${triggerName(event, table)} AFTER ${event} ON ${identifier(table)}
      BEGIN ${checks.join(' ')} END`;
  });
}

/** The statements that take them away. */
export function dropping(name: string): readonly string[] {
  const table = only(name);
  return Object.keys(EVENTS).map((event) => `DROP TRIGGER IF EXISTS ${triggerName(event, table)}`);
}

function only(name: string): string {
  const { schema, table } = tableName(name);
  if (schema === null) return table;
  throw tableProblem(name, 'it must be a table of the main database');
}

function triggerName(event: string, table: string): string {
  return identifier(`holdfast_${event.toLowerCase()}_${table}`);
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function nameIn(row: unknown): string[] {
  if (typeof row !== 'object' || row === null || !('name' in row)) return [];
  return [String(row.name)];
}
