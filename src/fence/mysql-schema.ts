// What the guard has in a database of MariaDB or MySQL: one table and the procedure that presents a
// claim; in MariaDB also what triggers of protected tables run.
//
// These servers tell no transaction from another in SQL, and what a trigger may read outlives a
// transaction. So a presentation is remembered with a mark that no later transaction can have: a
// name of the session that is drawn anew for each, and how many transactions it began and ended so
// far, by what the server counts of its statements. Neither can be left over on a connection that
// somebody else gets: its next BEGIN, the former COMMIT or a reset make another mark.

import { Hasher } from '../base/hash.ts';

/** Before the routines; it can be run again. */
export const MYSQL_TABLE = `CREATE TABLE IF NOT EXISTS holdfast_seen (
  resource VARBINARY(512) NOT NULL,
  slot INT NOT NULL,
  max_exclusive BIGINT NOT NULL,
  max_shared BIGINT NOT NULL,
  presented_by VARCHAR(1000) CHARACTER SET ascii COLLATE ascii_bin NULL,
  PRIMARY KEY (resource, slot)
) ENGINE=InnoDB`;

/** A routine: what kind it is, its name, and the rest of its statement. */
export type MysqlRoutine = readonly [kind: 'FUNCTION' | 'PROCEDURE', name: string, body: string];

/**
 * Counters of statements that leave a transaction as it is; any other statement may have ended it.
 * A SET may as well, where transactions begin by themselves: with autocommit = 1 they end.
 */
const HARMLESS =
  '^COM_(SELECT|INSERT|INSERT_SELECT|UPDATE|UPDATE_MULTI|DELETE|DELETE_MULTI|REPLACE|' +
  'REPLACE_SELECT|LOAD|CALL_PROCEDURE|SAVEPOINT|RELEASE_SAVEPOINT|ROLLBACK_TO_SAVEPOINT|DO|' +
  'SHOW_[A-Z_]+|STMT_[A-Z_]+|PREPARE_SQL|EXECUTE_SQL|EXECUTE_IMMEDIATE|DEALLOC_SQL|SET_OPTION|' +
  'CREATE_TEMPORARY_TABLE|DROP_TEMPORARY_TABLE|CHANGE_DB|KILL|HELP|HA_[A-Z]+|SIGNAL|RESIGNAL|' +
  'GET_DIAGNOSTICS|COMPOUND_SQL|EMPTY_QUERY|ADMIN_COMMANDS)$';

const TRANSACTION: MysqlRoutine = [
  'FUNCTION',
  'holdfast_transaction',
  `() RETURNS VARCHAR(1000) CHARACTER SET ascii COLLATE ascii_bin
NOT DETERMINISTIC READS SQL DATA COMMENT '<version>'
RETURN IF(@@in_transaction = 0, NULL, CONCAT(@holdfast_session, ' ', COALESCE((
  SELECT GROUP_CONCAT(variable_name, variable_value ORDER BY variable_name SEPARATOR ' ')
  FROM information_schema.session_status
  WHERE LEFT(variable_name, 4) = 'COM_' AND variable_value <> '0'
    AND (variable_name NOT REGEXP '${HARMLESS}'
      OR variable_name = 'COM_SET_OPTION' AND @@autocommit = 0)
), '')))`,
];

const CHECK: MysqlRoutine = [
  'PROCEDURE',
  'holdfast_check',
  `(p_resource TEXT CHARACTER SET utf8mb4, p_table TEXT CHARACTER SET utf8mb4)
READS SQL DATA COMMENT '<version>'
BEGIN
  DECLARE problem TEXT CHARACTER SET utf8mb4;
  IF NOT EXISTS (
    SELECT 1 FROM holdfast_seen WHERE resource = CAST(p_resource AS BINARY)
      AND presented_by = holdfast_transaction()
  ) THEN
    SET problem = LEFT(CONCAT('NOT_PRESENTED: table ', p_table, ' is protected, and this ',
      'transaction presented no token for ',
      COALESCE(p_resource, 'this row, which names no resource')), 500);
    SIGNAL SQLSTATE 'HF001' SET MESSAGE_TEXT = problem;
  END IF;
END`,
];

/** Locks the row of one slot, and signals when the token is stale to it. */
const ADMIT: MysqlRoutine = [
  'PROCEDURE',
  'holdfast_admit',
  `(p_resource VARBINARY(512), p_slot INT, p_token BIGINT, p_is_shared BOOLEAN)
MODIFIES SQL DATA COMMENT '<version>'
BEGIN
  DECLARE exclusive_seen, shared_seen BIGINT;
  DECLARE problem TEXT CHARACTER SET utf8mb4;
  -- The row stays locked until the transaction ends, also when it was made here.
  INSERT INTO holdfast_seen VALUES (p_resource, p_slot, 0, 0, NULL)
    ON DUPLICATE KEY UPDATE slot = slot;
  SELECT max_exclusive, max_shared INTO exclusive_seen, shared_seen
    FROM holdfast_seen WHERE resource = p_resource AND slot = p_slot FOR UPDATE;
  IF NOT IF(p_is_shared, p_token > exclusive_seen,
      p_token >= exclusive_seen AND p_token > shared_seen) THEN
    SET problem = CONCAT('STALE_TOKEN: slot ', p_slot, ' has seen ',
      IF(p_is_shared, exclusive_seen, GREATEST(exclusive_seen, shared_seen)),
      ', so token ', p_token, ' is stale: its grant is over');
    SIGNAL SQLSTATE 'HF002' SET MESSAGE_TEXT = problem;
  END IF;
END`,
];

const PRESENT_HEAD = `(
  p_resource TEXT CHARACTER SET utf8mb4, p_token BIGINT, p_mode VARCHAR(20), p_slots TEXT
)
MODIFIES SQL DATA COMMENT '<version>'
BEGIN
  DECLARE name VARBINARY(512) DEFAULT CAST(p_resource AS BINARY);
  DECLARE many INT DEFAULT JSON_LENGTH(p_slots);
  DECLARE is_shared BOOLEAN DEFAULT p_mode = 'shared' AND many = 0;
  DECLARE at_slot INT DEFAULT 0;
  DECLARE one_slot, slot_before INT DEFAULT -1;
  -- Outside of a transaction a savepoint is gone at once.
  BEGIN
    DECLARE EXIT HANDLER FOR 1305 SIGNAL SQLSTATE 'HF004' SET MESSAGE_TEXT =
      'NO_TRANSACTION: a claim must be presented in a transaction: send START TRANSACTION first';
    SAVEPOINT holdfast_present;
    RELEASE SAVEPOINT holdfast_present;
  END;
  IF p_resource IS NULL OR OCTET_LENGTH(p_resource) NOT BETWEEN 1 AND 512
     OR p_token IS NULL OR p_token NOT BETWEEN 1 AND 9007199254740991
     OR p_mode IS NULL OR BINARY p_mode NOT IN ('exclusive', 'shared')
     OR many IS NULL OR JSON_TYPE(p_slots) <> 'ARRAY' THEN
    SIGNAL SQLSTATE 'HF003' SET MESSAGE_TEXT =
      'INVALID: expected a resource of 1 to 512 bytes, a token from 1 to 2^53 - 1, a mode, slots';
  END IF;
  IF @holdfast_session IS NULL THEN
    SET @holdfast_session = UUID();
  END IF;`;

/** All slots are checked before one is written: a refusal here takes nothing back by itself. */
function presenting(mark: string): MysqlRoutine {
  const body = `
  REPEAT
    IF many > 0 THEN
      SET one_slot = JSON_EXTRACT(p_slots, CONCAT('$[', at_slot, ']'));
      -- In one order, or two claims for the same slots could wait for each other.
      IF JSON_TYPE(JSON_EXTRACT(p_slots, CONCAT('$[', at_slot, ']'))) <> 'INTEGER'
          OR one_slot <= slot_before THEN
        SIGNAL SQLSTATE 'HF003' SET MESSAGE_TEXT =
          'INVALID: slots must be a JSON list of different whole numbers from 0, ascending';
      END IF;
      SET slot_before = one_slot;
    END IF;
    CALL holdfast_admit(name, one_slot, p_token, is_shared);
    SET at_slot = at_slot + 1;
  UNTIL at_slot >= many END REPEAT;
  SET at_slot = 0;
  REPEAT
    IF many > 0 THEN
      SET one_slot = JSON_EXTRACT(p_slots, CONCAT('$[', at_slot, ']'));
    END IF;
    UPDATE holdfast_seen SET
      max_exclusive = IF(is_shared, max_exclusive, p_token),
      max_shared = IF(is_shared, GREATEST(max_shared, p_token), max_shared),
      presented_by = ${mark}
    WHERE resource = name AND slot = one_slot;
    SET at_slot = at_slot + 1;
  UNTIL at_slot >= many END REPEAT;
END`;
  return ['PROCEDURE', 'holdfast_present', `${PRESENT_HEAD}${body}`];
}

/** What there is to be made: routines in the order in which they need each other. */
export interface MysqlSchema {
  readonly routines: readonly MysqlRoutine[];
  /** What their comments say; where they say something else, they are made anew. */
  readonly version: string;
}

/** MySQL has nothing by which to tell transactions. */
export function mysqlSchema(isMariadb: boolean): MysqlSchema {
  const made = isMariadb
    ? [TRANSACTION, CHECK, ADMIT, presenting('holdfast_transaction()')]
    : [ADMIT, presenting('NULL')];
  const version = `holdfast fence ${new Hasher(0).text(made.join()).hex()}`;
  const routines = made.map(
    ([kind, name, body]) => [kind, name, body.replace('<version>', version)] as const,
  );
  return { routines, version };
}
