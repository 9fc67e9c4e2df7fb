// What the guard has in a SQLite database: what it saw, and what was presented in the transaction
// that is open.
//
// SQLite tells no transaction from another in SQL. So a presentation is a row that refers to a row
// which does not exist, and the database finds that out when the transaction commits: it does not,
// until the presentation was withdrawn. None can be left over for whoever comes next. It takes a
// connection that checks foreign keys, and one that runs the triggers of rows that REPLACE takes
// away: a trigger makes sure of both, for other programs too.

/** Each can be run again. */
export const SQLITE_SCHEMA: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS main.holdfast_seen (
  resource TEXT NOT NULL,
  slot INTEGER NOT NULL,
  max_exclusive INTEGER NOT NULL CHECK (typeof(max_exclusive) = 'integer'),
  max_shared INTEGER NOT NULL CHECK (typeof(max_shared) = 'integer'),
  PRIMARY KEY (resource, slot)
) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS main.holdfast_nothing (id INTEGER PRIMARY KEY CHECK (id IS NULL))`,
  `CREATE TABLE IF NOT EXISTS main.holdfast_presented (
  resource TEXT NOT NULL PRIMARY KEY,
  withdraw_before_commit INTEGER NOT NULL DEFAULT 1
    REFERENCES holdfast_nothing (id) DEFERRABLE INITIALLY DEFERRED
) WITHOUT ROWID`,
  `CREATE TRIGGER IF NOT EXISTS main.holdfast_open BEFORE INSERT ON holdfast_presented
  WHEN (SELECT foreign_keys FROM pragma_foreign_keys) <> 1
    OR (SELECT recursive_triggers FROM pragma_recursive_triggers) <> 1
BEGIN
  SELECT RAISE(ABORT, 'NOT_GUARDED: PRAGMA foreign_keys and recursive_triggers must be ON');
END`,
  // What a program without these settings left there before there was the trigger.
  'DELETE FROM main.holdfast_presented',
];
