// What the guard has in a SQLite database: what it saw, and what was presented in the transaction
// that is open.
//
// SQLite tells no transaction from another in SQL. So a presentation is a row that refers to a row
// which does not exist, and the database finds that out when the transaction commits: it does not,
// until the presentation was withdrawn. None can be left over for whoever comes next.

/** Each can be run again. */
export const SQLITE_SCHEMA: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS holdfast_seen (
  resource TEXT NOT NULL,
  slot INTEGER NOT NULL,
  max_exclusive INTEGER NOT NULL CHECK (typeof(max_exclusive) = 'integer'),
  max_shared INTEGER NOT NULL CHECK (typeof(max_shared) = 'integer'),
  PRIMARY KEY (resource, slot)
) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS holdfast_nothing (id INTEGER PRIMARY KEY CHECK (id IS NULL))`,
  `CREATE TABLE IF NOT EXISTS holdfast_presented (
  resource TEXT NOT NULL PRIMARY KEY,
  withdraw_before_commit INTEGER NOT NULL DEFAULT 1
    REFERENCES holdfast_nothing (id) DEFERRABLE INITIALLY DEFERRED
) WITHOUT ROWID`,
];
