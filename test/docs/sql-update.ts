// Runs an UPDATE of one table as a database does, for statements that documents show: assignments
// and comparisons of columns, literals and named parameters, joined by AND. One call is one step.

/** A cell of a row, or a parameter. */
export type SqlValue = number | string;
/** Cells by their column. */
export type SqlRow = Record<string, SqlValue>;

interface Comparison {
  readonly left: string;
  readonly operator: string;
  readonly right: string;
}

/** A statement that was read, to be run with parameters as often as wanted. */
export interface SqlUpdate {
  readonly table: string;
  /** Changes the rows that match; gives how many did. Throws for what it does not understand. */
  run(rows: readonly SqlRow[], parameters: Readonly<Record<string, SqlValue>>): number;
}

/** Throws for any other kind of statement. */
export function readUpdate(text: string): SqlUpdate {
  const parts = /^\s*UPDATE (\w+)\s+SET (.+?)\s+WHERE (.+?);?\s*$/s.exec(text);
  if (parts === null) throw new Error(`not an UPDATE: ${text}`);
  const [, table = '', set = '', where = ''] = parts;
  const assignments = set.split(',').map(readComparison);
  const conditions = where.split(/\sAND\s/).map(readComparison);
  if (assignments.some(({ operator }) => operator !== '=')) throw new Error(`no SET: ${set}`);
  return {
    table,
    run: (rows, parameters) => {
      const matching = rows.filter((row) =>
        conditions.every(({ left, operator, right }) =>
          compare(valueOf(left, row, parameters), operator, valueOf(right, row, parameters)),
        ),
      );
      for (const row of matching) {
        const cells = assignments.map(({ left, right }) => [left, valueOf(right, row, parameters)]);
        Object.assign(row, Object.fromEntries(cells));
      }
      return matching.length;
    },
  };
}

function readComparison(text: string): Comparison {
  const parts = /^\s*(\S+)\s*(<=|>=|<>|<|>|=)\s*(\S+)\s*$/.exec(text);
  if (parts === null) throw new Error(`not understood: ${text}`);
  const [, left = '', operator = '', right = ''] = parts;
  return { left, operator, right };
}

function valueOf(
  text: string,
  row: SqlRow,
  parameters: Readonly<Record<string, SqlValue>>,
): SqlValue {
  const [, quoted] = /^'(.*)'$/.exec(text) ?? [];
  if (quoted !== undefined) return quoted;
  if (/^-?\d+$/.test(text)) return Number(text);
  const value = text.startsWith(':') ? parameters[text.slice(1)] : row[text];
  if (value === undefined) throw new Error(`neither a column nor a parameter: ${text}`);
  return value;
}

function compare(left: SqlValue, operator: string, right: SqlValue): boolean {
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    case '=':
      return left === right;
    default:
      return left !== right;
  }
}
