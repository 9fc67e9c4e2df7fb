// A guard in PostgreSQL, from version 13 on.

import { HoldfastError } from '../base/error.ts';
import { POSTGRES_SCHEMA } from './postgres-schema.ts';
import { checkColumns, tableProblem } from './row-resource.ts';
import type { RowResource, TableName } from './row-resource.ts';
import { rowsIn } from './sql-client.ts';
import { sqlFence } from './sql-fence.ts';
import type { Ask, SqlFence } from './sql-fence.ts';

/** SQLSTATE of what is allowed in a transaction only. */
const NO_TRANSACTION = '25P01';

const COLUMNS = `SELECT attname::text AS name FROM pg_attribute
  WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`;
const KIND = `SELECT relkind::text AS kind FROM pg_class WHERE oid = to_regclass($1)`;

/**
 * A guard in PostgreSQL. Of a connection's user it wants `USAGE` on the schema `holdfast` and
 * `SELECT` on `holdfast.seen`, which whoever sets it up grants.
 */
export function postgresFence(): SqlFence {
  return sqlFence({
    begin: 'BEGIN',
    setUp: async (ask) => allOrNothing(ask, POSTGRES_SCHEMA),
    async protect(ask, name, resource) {
      const table = quotedTable(name);
      const columns = rowsIn(await ask(COLUMNS, [table]));
      const names = columns.map((row) => String(row['name']));
      checkColumns(table, resource, names);
      const [kind] = rowsIn(await ask(KIND, [table]));
      if (kind?.['kind'] !== 'r' && kind?.['kind'] !== 'p') {
        throw tableProblem(table, 'it is no table');
      }
      await allOrNothing(ask, [...dropping(table), ...protecting(table, resource)]);
    },
    unprotect: async (ask, name) => allOrNothing(ask, dropping(quotedTable(name))),
    async present(ask, { resource, token, mode, slots }) {
      await refuseOutside(ask);
      const values = [resource, token, mode, slots];
      await ask('SELECT holdfast.present($1, $2, $3, $4)', values);
    },
    seen: `SELECT max_exclusive::text, max_shared::text FROM holdfast.seen
      WHERE resource = $1 AND slot = $2`,
  });
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
    for (const statement of statements) await ask(statement);
  } catch (error) {
    await ask('ROLLBACK').catch(() => undefined);
    throw error;
  }
  await ask('COMMIT');
}

/** Triggers that fire for replicas' sessions too, which skip others. */
function protecting(table: string, { texts, columns }: RowResource): readonly string[] {
  const words = texts.flatMap((text, at) => [text, ...columns.slice(at, at + 1)]);
  const list = words.map(quotedText).join(', ');
  return [
    `CREATE TRIGGER holdfast_row AFTER INSERT OR UPDATE OR DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION holdfast.check_row(${list})`,
    `CREATE TRIGGER holdfast_truncate BEFORE TRUNCATE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION holdfast.check_truncate(${list})`,
    `ALTER TABLE ${table} ENABLE ALWAYS TRIGGER holdfast_row`,
    `ALTER TABLE ${table} ENABLE ALWAYS TRIGGER holdfast_truncate`,
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
