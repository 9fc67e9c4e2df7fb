// A guard in PostgreSQL, from version 13 on.

import { HoldfastError } from '../base/error.ts';
import { POSTGRES_SCHEMA, POSTGRES_VERSION } from './postgres-schema.ts';
import { checkColumns, tableProblem, templateOf } from './row-resource.ts';
import type { RowResource, TableName } from './row-resource.ts';
import { rowsIn } from './sql-client.ts';
import type { SqlConnection, SqlRow } from './sql-client.ts';
import { sqlFence } from './sql-fence.ts';
import type { Ask, SqlFence } from './sql-fence.ts';

/** SQLSTATE of what is allowed in a transaction only. */
const NO_TRANSACTION = '25P01';

/** Of their values there is one text, whatever the settings of a session. */
const TYPES = ['smallint', 'integer', 'bigint', 'text', 'character varying', 'uuid', 'boolean'];

const COLUMNS = `SELECT attname::text AS name, atttypid::regtype::text AS type FROM pg_attribute
  WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`;
const KIND = `SELECT relkind::text AS kind,
  EXISTS (SELECT FROM pg_inherits WHERE inhparent = pg_class.oid)::text AS has_children
  FROM pg_class WHERE oid = to_regclass($1)`;
const TRIGGERS = `SELECT tgenabled::text AS enabled, obj_description(oid, 'pg_trigger') AS told
  FROM pg_trigger WHERE tgrelid = to_regclass($1)
    AND tgname IN ('holdfast_row', 'holdfast_truncate')`;
const VERSION = `SELECT obj_description(to_regnamespace('holdfast')::oid, 'pg_namespace') AS told`;
/** Several processes may start at once; what they make is made by one after the other. */
const LOCK = `SELECT pg_advisory_xact_lock(hashtext('holdfast fence'))`;

/**
 * A guard in PostgreSQL. Of a connection's user it wants `USAGE` on the schema `holdfast` and
 * `SELECT` on `holdfast.seen`, which whoever sets it up grants.
 */
export function postgresFence(): SqlFence {
  return sqlFence({
    begin: 'BEGIN',
    isOpen: async (_ask, connection) => isOpen(connection),
    isRetryable: () => false,
    async setUp(ask) {
      const [row] = rowsIn(await ask(VERSION));
      if (row?.['told'] === POSTGRES_VERSION) return;
      const told = `COMMENT ON SCHEMA holdfast IS ${quotedText(POSTGRES_VERSION)}`;
      await allOrNothing(ask, [...POSTGRES_SCHEMA, told]);
    },
    async protect(ask, name, resource) {
      const table = quotedTable(name);
      await checkTable(ask, table, resource);
      const triggers = rowsIn(await ask(TRIGGERS, [table]));
      const isSame = (row: SqlRow): boolean =>
        row['enabled'] === 'A' && row['told'] === templateOf(resource);
      if (triggers.length === 2 && triggers.every(isSame)) return;
      await allOrNothing(ask, [...dropping(table), ...protecting(table, resource)]);
    },
    unprotect: async (ask, name) => allOrNothing(ask, dropping(quotedTable(name))),
    async present(ask, { resource, token, mode, slots }) {
      await refuseOutside(ask);
      const values = [resource, token, mode, slots];
      await ask('SELECT holdfast.present($1, $2, $3, $4)', values);
    },
    seen: (resource, slot) => ({
      text: `SELECT max_exclusive::text, max_shared::text FROM holdfast.seen
        WHERE resource = $1 AND slot = $2`,
      values: [resource, slot],
    }),
  });
}

/** By what pg knows of its connection; other drivers do not tell. */
function isOpen(connection: SqlConnection): boolean {
  if (!('getTransactionStatus' in connection)) return false;
  const { getTransactionStatus } = connection;
  if (typeof getTransactionStatus !== 'function') return false;
  const status: unknown = getTransactionStatus.call(connection);
  return status === 'T' || status === 'E';
}

/** Refuses what triggers could not guard. */
async function checkTable(ask: Ask, table: string, resource: RowResource): Promise<void> {
  const columns = rowsIn(await ask(COLUMNS, [table]));
  const types = new Map(columns.map((row) => [String(row['name']), String(row['type'])]));
  checkColumns(table, resource, types, TYPES);
  const [row] = rowsIn(await ask(KIND, [table]));
  const isSplit = row?.['kind'] === 'p';
  if (row?.['kind'] !== 'r' && !isSplit) throw tableProblem(table, 'it is no table');
  if (row['has_children'] === 'true' && !isSplit) {
    throw tableProblem(
      table,
      'other tables inherit from it, and their rows have no triggers of it',
    );
  }
}

/** Outside of a transaction the row would be unlocked at once: another could come in between. */
async function refuseOutside(ask: Ask): Promise<void> {
  try {
    // Of the statements that are refused outside, the one that does least inside.
    await ask('LOCK TABLE holdfast.seen IN ACCESS SHARE MODE');
  } catch (error) {
    if (codeOf(error) !== NO_TRANSACTION) throw error;
    const text = 'a claim must be presented in a transaction: send BEGIN first, on this connection';
    throw new HoldfastError('INVALID', text, { cause: error, details: { option: 'connection' } });
  }
}

async function allOrNothing(ask: Ask, statements: readonly string[]): Promise<void> {
  await ask('BEGIN');
  try {
    await ask(LOCK);
    for (const statement of statements) await ask(statement);
  } catch (error) {
    await ask('ROLLBACK').catch(() => undefined);
    throw error;
  }
  await ask('COMMIT');
}

/** Triggers that fire for replicas' sessions too, which skip others. */
function protecting(table: string, resource: RowResource): readonly string[] {
  const { texts, columns } = resource;
  const words = texts.flatMap((text, at) => [text, ...columns.slice(at, at + 1)]);
  const list = words.map(quotedText).join(', ');
  return [
    `CREATE TRIGGER holdfast_row AFTER INSERT OR UPDATE OR DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION holdfast.check_row(${list})`,
    `CREATE TRIGGER holdfast_truncate BEFORE TRUNCATE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION holdfast.check_truncate(${list})`,
    `ALTER TABLE ${table} ENABLE ALWAYS TRIGGER holdfast_row`,
    `ALTER TABLE ${table} ENABLE ALWAYS TRIGGER holdfast_truncate`,
    ...['holdfast_row', 'holdfast_truncate'].map(
      (trigger) =>
        `COMMENT ON TRIGGER ${trigger} ON ${table} IS ${quotedText(templateOf(resource))}`,
    ),
  ];
}

function dropping(table: string): readonly string[] {
  return ['holdfast_row', 'holdfast_truncate'].map(
    (trigger) => `DROP TRIGGER IF EXISTS ${trigger} ON ${table}`,
  );
}

function quotedTable({ schema, table }: TableName): string {
  const parts = schema === null ? [table] : [schema, table];
  return parts.map((part) => `"${part.replaceAll('"', '""')}"`).join('.');
}

function quotedText(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
