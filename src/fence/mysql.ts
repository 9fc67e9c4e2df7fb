// A guard in MariaDB or MySQL.

import { HoldfastError } from '../base/error.ts';
import { MYSQL_TABLE, mysqlSchema } from './mysql-schema.ts';
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

/** Of their values there is one text, whatever the settings of a session. */
const TYPES = [
  ...['tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'char', 'varchar', 'tinytext', 'text'],
  ...['enum', 'uuid'],
];
const DEADLOCK = 1213;
const UNKNOWN_VARIABLE = 1193;

const COLUMNS = `SELECT column_name AS name, data_type AS type FROM information_schema.columns
  WHERE table_schema = DATABASE() AND table_name = ? ORDER BY ordinal_position`;
const ENGINE = `SELECT engine AS engine FROM information_schema.tables
  WHERE table_schema = DATABASE() AND table_name = ?`;
const CASCADES = `SELECT constraint_name AS name FROM information_schema.referential_constraints
  WHERE constraint_schema = DATABASE() AND table_name = ?
    AND ('RESTRICT' <> delete_rule AND 'NO ACTION' <> delete_rule
      OR 'RESTRICT' <> update_rule AND 'NO ACTION' <> update_rule)`;
const VERSION = `SELECT routine_comment AS told FROM information_schema.routines
  WHERE routine_schema = DATABASE() AND routine_name = 'holdfast_present'`;
const TRIGGERS = `SELECT trigger_name AS name, event_object_table AS owner,
  action_statement AS body FROM information_schema.triggers
  WHERE trigger_schema = DATABASE() AND LEFT(trigger_name, 9) = 'holdfast_'`;

/**
 * A guard in MariaDB or MySQL; it lies in the database that is the connection's own. Of a
 * connection's user it wants `EXECUTE` on `holdfast_present` and `SELECT` on `holdfast_seen`.
 * `protect` is for MariaDB and tables of InnoDB.
 */
export function mysqlFence(): SqlFence {
  return sqlFence({
    begin: 'START TRANSACTION',
    isOpen,
    isRetryable: (error) => numberOf(error) === DEADLOCK,
    async setUp(ask) {
      const { version } = mysqlSchema(await isMariadb(ask));
      const [row] = rowsIn(await ask(VERSION));
      if (row?.['told'] !== version) await oneAtATime(ask, () => setUp(ask));
    },
    async protect(ask, name, resource) {
      await checkTable(ask, name, resource);
      await oneAtATime(ask, () => protect(ask, name.table, resource));
    },
    unprotect: (ask, { table }) => oneAtATime(ask, () => unprotect(ask, table)),
    async present(ask, { resource, token, mode, slots }) {
      const values = [text(resource), token, `'${mode}'`, `'${JSON.stringify(slots)}'`];
      try {
        await ask(`CALL holdfast_present(${values.join(', ')})`);
      } catch (error) {
        throw outsideIn(error) ?? error;
      }
    },
    seen: (resource, slot) => ({
      text: `SELECT CAST(max_exclusive AS CHAR) AS max_exclusive,
        CAST(max_shared AS CHAR) AS max_shared
        FROM holdfast_seen WHERE resource = ${bytes(resource)} AND slot = ${slot}`,
      values: [],
    }),
  });
}

/** MySQL does not tell. */
async function isOpen(ask: Ask): Promise<boolean> {
  try {
    const [row] = rowsIn(await ask('SELECT @@in_transaction AS is_open'));
    return Number(row?.['is_open']) === 1;
  } catch (error) {
    if (numberOf(error) === UNKNOWN_VARIABLE) return false;
    throw error;
  }
}

/**
 * Statements that make things end a transaction, and several processes may start at once. Routines
 * keep the mode of SQL in which they were made.
 */
async function oneAtATime(ask: Ask, work: () => Promise<void>): Promise<void> {
  const [row] = rowsIn(await ask('SELECT GET_LOCK(?, ?) AS got', [SETUP_LOCK, SETUP_WAIT_S]));
  if (Number(row?.['got']) !== 1) {
    const problem = `another set-up of the guard has not ended in ${SETUP_WAIT_S} s`;
    throw new HoldfastError('UNAVAILABLE', problem);
  }
  try {
    await ask(`SET @holdfast_mode = @@sql_mode, SESSION sql_mode = 'STRICT_ALL_TABLES'`);
    await work();
  } finally {
    await ask('SET SESSION sql_mode = COALESCE(@holdfast_mode, @@sql_mode)');
    await ask('SELECT RELEASE_LOCK(?) AS released', [SETUP_LOCK]);
  }
}

/** A routine that is replaced in one step keeps its rights, and is never missing. */
async function setUp(ask: Ask): Promise<void> {
  const hasReplace = await isMariadb(ask);
  await ask(MYSQL_TABLE);
  for (const [kind, name, body] of mysqlSchema(hasReplace).routines) {
    if (!hasReplace) await ask(`DROP ${kind} IF EXISTS ${name}`);
    await ask(`CREATE ${hasReplace ? 'OR REPLACE ' : ''}${kind} ${name} ${body}`);
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
  const types = new Map(columns.map((row) => [String(row['name']), String(row['type'])]));
  checkColumns(table, resource, types, TYPES);
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

/** Makes what is not there already; each trigger is replaced in one step. */
async function protect(ask: Ask, table: string, resource: RowResource): Promise<void> {
  const triggers = rowsIn(await ask(TRIGGERS));
  for (const event of EVENTS) {
    const name = triggerName(event, table);
    const body = bodyFor(event, table, resource);
    const found = triggers.find((row) => row['name'] === name);
    if (found !== undefined && found['owner'] !== table) {
      const owner = String(found['owner']);
      throw tableProblem(table, `${owner} had its name once and has its triggers: unprotect that`);
    }
    if (found?.['body'] === body) continue;
    await ask(`CREATE OR REPLACE TRIGGER ${identifier(name)} AFTER ${event}
      ON ${identifier(table)} FOR EACH ROW ${body}`);
  }
}

async function unprotect(ask: Ask, table: string): Promise<void> {
  for (const row of rowsIn(await ask(TRIGGERS))) {
    const name = String(row['name']);
    if (row['owner'] === table) await ask(`DROP TRIGGER IF EXISTS ${identifier(name)}`);
  }
}

function bodyFor(event: Event, table: string, resource: RowResource): string {
  // A row may not be moved to, or from, a resource that was not presented.
  const rows = { INSERT: ['NEW'], UPDATE: ['OLD', 'NEW'], DELETE: ['OLD'] }[event];
  const calls = rows.map(
    (row) => `CALL holdfast_check(${expression(resource, row)}, ${text(table)});`,
  );
  return `BEGIN ${calls.join(' ')} END`;
}

function expression({ texts, columns }: RowResource, row: string): string {
  const parts = texts.flatMap((each, at) => [
    text(each),
    ...columns.slice(at, at + 1).map((column) => `${row}.${identifier(column)}`),
  ]);
  return `CONCAT(${parts.join(', ')})`;
}

function triggerName(event: Event, table: string): string {
  return `holdfast_${event.toLowerCase()}_${table}`;
}

function identifier(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

/** A text that no setting of a session, and no driver, reads otherwise. */
function text(value: string): string {
  return `CONVERT(${bytes(value)} USING utf8mb4)`;
}

function bytes(value: string): string {
  const list = [...new TextEncoder().encode(value)];
  return `X'${list.map((byte) => byte.toString(16).padStart(2, '0')).join('')}'`;
}

/** Of an error of the server. */
function numberOf(error: unknown): unknown {
  return error instanceof Error && 'errno' in error ? error.errno : undefined;
}

function outsideIn(error: unknown): HoldfastError | null {
  if (!(error instanceof Error) || !NO_TRANSACTION.test(error.message)) return null;
  const message =
    'a claim must be presented in a transaction: send START TRANSACTION first, on this connection';
  const details = { option: 'connection' };
  return new HoldfastError('INVALID', message, { cause: error, details });
}
