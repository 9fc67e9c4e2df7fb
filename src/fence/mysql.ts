// A guard in MariaDB or MySQL.

import { HoldfastError } from '../base/error.ts';
import { MYSQL_TABLE, MYSQL_VERSION, mysqlRoutines } from './mysql-schema.ts';
import { checkColumns, tableProblem } from './row-resource.ts';
import type { RowResource, TableName } from './row-resource.ts';
import { rowsIn } from './sql-client.ts';
import { sqlFence } from './sql-fence.ts';
import type { Ask, SqlFence } from './sql-fence.ts';

const SETUP_LOCK = 'holdfast fence';
const SETUP_WAIT_S = 60;
const EVENTS = ['INSERT', 'UPDATE', 'DELETE'] as const;
type Event = (typeof EVENTS)[number];
/** Of the names of triggers, less what comes before the table's. */
const TABLE_NAME_MAX = 64 - 'holdfast_insert_'.length;
const NO_TRANSACTION = /NO_TRANSACTION: /;

const COLUMNS = `SELECT column_name AS name FROM information_schema.columns
  WHERE table_schema = DATABASE() AND table_name = ? ORDER BY ordinal_position`;
const ENGINE = `SELECT engine AS engine FROM information_schema.tables
  WHERE table_schema = DATABASE() AND table_name = ?`;
const CASCADES = `SELECT constraint_name AS name FROM information_schema.referential_constraints
  WHERE constraint_schema = DATABASE() AND table_name = ?
    AND ('RESTRICT' <> delete_rule AND 'NO ACTION' <> delete_rule
      OR 'RESTRICT' <> update_rule AND 'NO ACTION' <> update_rule)`;
const ROUTINE = `SELECT COUNT(*) AS count FROM information_schema.routines
  WHERE routine_schema = DATABASE() AND routine_name = ? AND routine_comment = ?`;

/**
 * A guard in MariaDB or MySQL; it lies in the database that is the connection's own. Of a
 * connection's user it wants `EXECUTE` on `holdfast_present` and `SELECT` on `holdfast_seen`.
 * `protect` is for MariaDB and tables of InnoDB.
 */
export function mysqlFence(): SqlFence {
  return sqlFence({
    begin: 'START TRANSACTION',
    setUp: async (ask) => oneAtATime(ask, () => setUp(ask)),
    async protect(ask, name, resource) {
      await checkTable(ask, name, resource);
      await dropTriggers(ask, name);
      for (const event of EVENTS) await ask(triggerFor(event, name, resource));
    },
    unprotect: dropTriggers,
    async present(ask, { resource, token, mode, slots }) {
      const values = [resource, token, mode, JSON.stringify(slots)];
      try {
        await ask('CALL holdfast_present(?, ?, ?, ?)', values);
      } catch (error) {
        throw outsideIn(error) ?? error;
      }
    },
    seen: `SELECT CAST(max_exclusive AS CHAR) AS max_exclusive,
      CAST(max_shared AS CHAR) AS max_shared
      FROM holdfast_seen WHERE resource = CAST(? AS BINARY) AND slot = ?`,
  });
}

/** Statements that make things end a transaction, and several processes may start at once. */
async function oneAtATime(ask: Ask, work: () => Promise<void>): Promise<void> {
  const [row] = rowsIn(await ask('SELECT GET_LOCK(?, ?) AS got', [SETUP_LOCK, SETUP_WAIT_S]));
  if (Number(row?.['got']) !== 1) {
    const text = `another set-up of the guard has not ended in ${SETUP_WAIT_S} s`;
    throw new HoldfastError('UNAVAILABLE', text);
  }
  try {
    await work();
  } finally {
    await ask('SELECT RELEASE_LOCK(?) AS released', [SETUP_LOCK]);
  }
}

async function setUp(ask: Ask): Promise<void> {
  await ask(MYSQL_TABLE);
  for (const [kind, name, body] of mysqlRoutines(await isMariadb(ask))) {
    const [row] = rowsIn(await ask(ROUTINE, [name, MYSQL_VERSION]));
    if (Number(row?.['count']) > 0) continue;
    await ask(`DROP ${kind} IF EXISTS ${name}`);
    await ask(`CREATE ${kind} ${name} ${body}`);
  }
}

async function isMariadb(ask: Ask): Promise<boolean> {
  const [row] = rowsIn(await ask('SELECT VERSION() AS version'));
  return String(row?.['version']).includes('MariaDB');
}

/** Refuses what triggers could not guard. */
async function checkTable(ask: Ask, name: TableName, resource: RowResource): Promise<void> {
  const { schema, table } = name;
  if (!(await isMariadb(ask))) {
    throw tableProblem(table, 'triggers of MySQL cannot tell transactions apart (MariaDB can)');
  }
  if (schema !== null) {
    throw tableProblem(`${schema}.${table}`, 'it must lie in the database of the connection');
  }
  const columns = rowsIn(await ask(COLUMNS, [table]));
  const names = columns.map((row) => String(row['name']));
  checkColumns(table, resource, names);
  if (table.length > TABLE_NAME_MAX) {
    throw tableProblem(table, `its name is longer than ${TABLE_NAME_MAX} characters`);
  }
  const [info] = rowsIn(await ask(ENGINE, [table]));
  const engine = String(info?.['engine']);
  if (engine !== 'InnoDB') {
    throw tableProblem(table, `it must be a table of InnoDB, which takes back (got ${engine})`);
  }
  const [cascade] = rowsIn(await ask(CASCADES, [table]));
  if (cascade === undefined) return;
  const constraint = String(cascade['name']);
  const problem = `its foreign key ${constraint} changes rows unseen by triggers: use RESTRICT`;
  throw tableProblem(table, problem);
}

async function dropTriggers(ask: Ask, name: TableName): Promise<void> {
  for (const event of EVENTS) await ask(`DROP TRIGGER IF EXISTS ${triggerName(event, name)}`);
}

function triggerFor(event: Event, name: TableName, resource: RowResource): string {
  const call = (row: string): string => {
    const named = expression(resource, row);
    return `CALL holdfast_check(${named}, ${text(name.table)})`;
  };
  // A row may not be moved to, or from, a resource that was not presented.
  const rows = { INSERT: ['NEW'], UPDATE: ['OLD', 'NEW'], DELETE: ['OLD'] }[event];
  const calls = rows.map((row) => `${call(row)};`).join(' ');
  return `CREATE TRIGGER ${triggerName(event, name)} AFTER ${event} ON ${identifier(name.table)}
    FOR EACH ROW BEGIN ${calls} END`;
}

function expression({ texts, columns }: RowResource, row: string): string {
  const parts = texts.flatMap((each, at) => [
    text(each),
    ...columns.slice(at, at + 1).map((column) => `${row}.${identifier(column)}`),
  ]);
  return `CONCAT(${parts.join(', ')})`;
}

function triggerName(event: Event, { table }: TableName): string {
  return identifier(`holdfast_${event.toLowerCase()}_${table}`);
}

function identifier(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

/** As bytes, which no setting of the session reads otherwise. */
function text(value: string): string {
  const hex = [...new TextEncoder().encode(value)].map((byte) =>
    byte.toString(16).padStart(2, '0'),
  );
  return `CONVERT(X'${hex.join('')}' USING utf8mb4)`;
}

function outsideIn(error: unknown): HoldfastError | null {
  if (!(error instanceof Error) || !NO_TRANSACTION.test(error.message)) return null;
  const message =
    'a claim must be presented in a transaction: send START TRANSACTION first, on this connection';
  const details = { option: 'connection' };
  return new HoldfastError('INVALID', message, { cause: error, details });
}
