// What the guard has in a PostgreSQL database, from version 13 on: a schema `holdfast` with one
// table, the function that presents a claim, and the one that triggers of protected tables run.
//
// What runs with the rights of whoever set it up reads nothing that others have made: the trigger,
// which looks into rows of any type, runs with the rights of whoever writes.
//
// A presentation is remembered with the transaction that made it (its id and its start: ids begin
// anew in a database that was restored from a dump). So it ends with that transaction, and with a
// savepoint that is rolled back, and cannot be left over on a connection that somebody else gets.

import { Hasher } from '../base/hash.ts';

/** Statements that make everything, or bring it up to date; run in one transaction. */
export const POSTGRES_SCHEMA: readonly string[] = [
  'CREATE SCHEMA IF NOT EXISTS holdfast',
  // A schema or a table that somebody else has made could have triggers of theirs.
  `DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'holdfast'
      AND nspowner <> current_user::regrole)
    OR EXISTS (SELECT FROM pg_class WHERE relnamespace = 'holdfast'::regnamespace
      AND relowner <> current_user::regrole) THEN
    RAISE EXCEPTION USING ERRCODE = 'HF003', MESSAGE =
      'INVALID: the schema holdfast, or something in it, belongs to another user';
  END IF;
END $$`,
  `CREATE TABLE IF NOT EXISTS holdfast.seen (
  resource text COLLATE "C" NOT NULL,
  slot integer NOT NULL,
  max_exclusive bigint NOT NULL,
  max_shared bigint NOT NULL,
  presented_by xid8 NOT NULL,
  presented_at timestamptz NOT NULL,
  PRIMARY KEY (resource, slot)
)`,
  `CREATE OR REPLACE FUNCTION holdfast.present(
  p_resource text, p_token bigint, p_mode text DEFAULT 'exclusive', p_slots integer[] DEFAULT '{}'
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  p_slot integer;
  is_shared boolean := p_mode = 'shared' AND cardinality(p_slots) = 0;
  largest record;
BEGIN
  IF p_resource IS NULL OR octet_length(p_resource) NOT BETWEEN 1 AND 512
     OR p_token IS NULL OR p_token NOT BETWEEN 1 AND 9007199254740991
     OR p_mode IS NULL OR p_mode NOT IN ('exclusive', 'shared')
     OR p_slots IS NULL OR array_position(p_slots, NULL) IS NOT NULL OR 0 > ANY (p_slots) THEN
    RAISE EXCEPTION USING ERRCODE = 'HF003', MESSAGE =
      'INVALID: a resource of 1 to 512 bytes, a token from 1 to 2^53 - 1, a mode (exclusive or '
      'shared) and slots from 0 were expected';
  END IF;
  -- In one order, or two claims for the same slots could wait for each other.
  FOR p_slot IN
    SELECT DISTINCT each
    FROM unnest(CASE cardinality(p_slots) WHEN 0 THEN ARRAY[-1] ELSE p_slots END) AS each
    ORDER BY each
  LOOP
    -- The row stays locked until the transaction ends: the next who presents waits, and then sees
    -- what was written here.
    INSERT INTO holdfast.seen AS known VALUES (
      p_resource, p_slot,
      CASE WHEN is_shared THEN 0 ELSE p_token END, CASE WHEN is_shared THEN p_token ELSE 0 END,
      pg_current_xact_id(), transaction_timestamp()
    )
    ON CONFLICT (resource, slot) DO UPDATE SET
      max_exclusive = CASE WHEN is_shared THEN known.max_exclusive ELSE p_token END,
      max_shared = CASE WHEN is_shared THEN greatest(known.max_shared, p_token)
        ELSE known.max_shared END,
      presented_by = pg_current_xact_id(), presented_at = transaction_timestamp()
    WHERE CASE WHEN is_shared THEN p_token > known.max_exclusive
      ELSE p_token >= known.max_exclusive AND p_token > known.max_shared END;
    IF NOT FOUND THEN
      SELECT max_exclusive, max_shared INTO largest
      FROM holdfast.seen WHERE resource = p_resource AND slot = p_slot;
      RAISE EXCEPTION USING ERRCODE = 'HF002', MESSAGE = format(
        'STALE_TOKEN: slot %s has seen %s, so the %s token %s of %s is stale: its grant is over',
        p_slot, CASE WHEN is_shared THEN largest.max_exclusive
          ELSE greatest(largest.max_exclusive, largest.max_shared) END,
        p_mode, p_token, p_resource);
    END IF;
  END LOOP;
END $$`,
  `CREATE OR REPLACE FUNCTION holdfast.refuse_unless_presented(p_resource text, p_table text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM holdfast.seen WHERE resource = p_resource
      AND presented_by = pg_current_xact_id() AND presented_at = transaction_timestamp()
  ) THEN
    RAISE EXCEPTION USING ERRCODE = 'HF001', MESSAGE = format(
      'NOT_PRESENTED: table %s is protected, and this transaction presented no token for %s',
      p_table, coalesce(p_resource, 'all that is written here'));
  END IF;
END $$`,
  // Its arguments are texts and columns of the resource's name in turn.
  `CREATE OR REPLACE FUNCTION holdfast.check_row() RETURNS trigger
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  piece text;
  before text := '';
  after text := '';
BEGIN
  FOR at IN 0 .. TG_NARGS - 1 LOOP
    IF at % 2 = 0 THEN
      before := before || TG_ARGV[at];
      after := after || TG_ARGV[at];
      CONTINUE;
    END IF;
    IF TG_OP <> 'INSERT' THEN
      EXECUTE format('SELECT ($1).%I::text', TG_ARGV[at]) INTO piece USING OLD;
      before := before || piece;
    END IF;
    IF TG_OP <> 'DELETE' THEN
      EXECUTE format('SELECT ($1).%I::text', TG_ARGV[at]) INTO piece USING NEW;
      after := after || piece;
    END IF;
  END LOOP;
  -- A row may not be moved to, or from, a resource that was not presented.
  IF TG_OP <> 'INSERT' THEN
    PERFORM holdfast.refuse_unless_presented(before, TG_RELID::regclass::text);
  END IF;
  IF TG_OP <> 'DELETE' AND (TG_OP = 'INSERT' OR after IS DISTINCT FROM before) THEN
    PERFORM holdfast.refuse_unless_presented(after, TG_RELID::regclass::text);
  END IF;
  RETURN NULL;
END $$`,
  // What is truncated is every row: a resource that only some of them have is not enough.
  `CREATE OR REPLACE FUNCTION holdfast.check_truncate() RETURNS trigger
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM holdfast.refuse_unless_presented(
    CASE TG_NARGS WHEN 1 THEN TG_ARGV[0] END, TG_RELID::regclass::text);
  RETURN NULL;
END $$`,
];

/** By what a database knows that it has all of it already. */
export const POSTGRES_VERSION = `holdfast fence ${hashOf(POSTGRES_SCHEMA.join())}`;

function hashOf(text: string): string {
  return new Hasher(0).text(text).hex();
}
