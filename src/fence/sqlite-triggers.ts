// Triggers of protected tables in SQLite.

import { checkColumns, tableName, tableProblem } from './row-resource.ts';
import type { RowResource } from './row-resource.ts';
import type { SqliteLike } from './sqlite.ts';

/** The rows that each kind of write has: one may not be moved to, or from, another resource. */
const EVENTS = { INSERT: ['NEW'], UPDATE: ['OLD', 'NEW'], DELETE: ['OLD'] };

/**
 * Throws INVALID when there is no such table, it has no such columns, or another table that had its
 * name once has the triggers.
 */
export function checkTable(database: SqliteLike, name: string, resource: RowResource): void {
  const table = only(name);
  const found = database.prepare(
    `SELECT name FROM pragma_table_xinfo(?) WHERE ? IN
      (SELECT name FROM main.sqlite_master WHERE type = 'table')`,
  );
  // A column may hold values of any type here.
  const columns = found.all(table, table).flatMap((row) => textIn(row, 'name'));
  checkColumns(table, resource, new Map(columns.map((column) => [column, ''])), null);
  for (const { trigger, owner } of triggersOf(database)) {
    const isTaken = Object.keys(EVENTS).some((event) => triggerName(event, table) === trigger);
    if (!isTaken || owner === table) continue;
    throw tableProblem(table, `${owner} had its name once and has its triggers: unprotect that`);
  }
}

/** Whether any table of the database is. */
export function isAnyProtected(database: SqliteLike): boolean {
  return triggersOf(database).length > 0;
}

interface Trigger {
  readonly trigger: string;
  readonly owner: string;
}

function triggersOf(database: SqliteLike): readonly Trigger[] {
  const found = database.prepare(
    `SELECT name AS trigger_name, tbl_name AS owner FROM main.sqlite_master
      WHERE type = 'trigger' AND name GLOB 'holdfast_*' AND name <> 'holdfast_open'`,
  );
  return found.all().flatMap((row) => {
    const [trigger] = textIn(row, 'trigger_name');
    const [owner] = textIn(row, 'owner');
    return trigger === undefined || owner === undefined ? [] : [{ trigger, owner }];
  });
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
    return `CREATE TRIGGER main.${identifier(triggerName(event, table))}
      AFTER ${event} ON ${identifier(table)}
      BEGIN ${checks.join(' ')} END`;
  });
}

/** The statements that take them away. */
export function dropping(database: SqliteLike, name: string): readonly string[] {
  const table = only(name);
  const own = triggersOf(database).filter(({ owner }) => owner === table);
  return own.map(({ trigger }) => `DROP TRIGGER main.${identifier(trigger)}`);
}

function only(name: string): string {
  const { schema, table } = tableName(name);
  if (schema === null) return table;
  throw tableProblem(name, 'it must be a table of the main database');
}

function triggerName(event: string, table: string): string {
  return `holdfast_${event.toLowerCase()}_${table}`;
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function textIn(row: unknown, column: string): string[] {
  if (typeof row !== 'object' || row === null) return [];
  const found = Object.entries(row).find(([name]) => name === column);
  return found === undefined ? [] : [String(found[1])];
}
