// Which resource a row of a protected table belongs to: a name with columns in it.

import { HoldfastError } from '../base/error.ts';
import { invalid } from './errors.ts';

/** Texts and columns in turn, beginning and ending with a text, which may be empty. */
export interface RowResource {
  /** One more than there are columns. */
  readonly texts: readonly string[];
  /** Names of columns. */
  readonly columns: readonly string[];
}

/** What a protected table is called, as parts of its name. */
export interface TableName {
  /** The schema or database, when it was said. */
  readonly schema: string | null;
  /** The table itself. */
  readonly table: string;
}

/** The name as it was given. */
export function templateOf({ texts, columns }: RowResource): string {
  return texts.map((text, at) => (at === 0 ? text : `{${columns[at - 1] ?? ''}}${text}`)).join('');
}

/**
 * `orders/{id}` names a resource for each row, `orders` one for the whole table. Throws INVALID
 * for anything else; there is no way to write a brace of the name itself.
 */
export function rowResource(template: string): RowResource {
  const given: unknown = template;
  const isWhole =
    typeof given === 'string' && /^(?:[^{}]|\{[^{}]+\})+$/.test(given) && !/[\0-\x1f]/.test(given);
  if (!isWhole) throw invalid('resource', "a name such as 'orders' or 'orders/{id}'", given);
  const parts = template.split(/\{([^{}]+)\}/);
  return {
    texts: parts.filter((_, at) => at % 2 === 0),
    columns: parts.filter((_, at) => at % 2 === 1),
  };
}

/** `orders`, or `shop.orders` with a schema. Throws INVALID for anything else. */
export function tableName(name: string): TableName {
  const given: unknown = name;
  const parts = typeof given === 'string' ? given.split('.') : [];
  const [first = '', second] = parts;
  const isName = parts.length <= 2 && parts.every((part) => /^[^\0]+$/.test(part));
  if (!isName || first === '') throw invalid('table', "a name such as 'orders'", given);
  return second === undefined ? { schema: null, table: first } : { schema: first, table: second };
}

/**
 * Throws INVALID when there is no such table or column, or when the text of a column's values
 * depends on settings of a session: then one row would have several names. `existing` are the
 * table's columns with their types; `types` those of which the text is always the same.
 */
export function checkColumns(
  table: string,
  { columns }: RowResource,
  existing: ReadonlyMap<string, string>,
  types: readonly string[] | null,
): void {
  if (existing.size === 0) throw tableProblem(table, 'there is no such table');
  for (const column of columns) {
    const type = existing.get(column);
    if (type === undefined) {
      const names = [...existing.keys()].join(', ');
      throw tableProblem(table, `it has no column ${column} (it has ${names})`);
    }
    if (types === null || types.includes(type)) continue;
    const problem = `${column} is a ${type}, and a resource is named by ${types.join(', ')}`;
    throw tableProblem(table, problem);
  }
}

/** The error INVALID of a table that cannot be protected. */
export function tableProblem(table: string, problem: string): HoldfastError {
  const text = `table ${table} cannot be protected: ${problem}`;
  return new HoldfastError('INVALID', text, { details: { option: 'table' } });
}
