// What the guard has in a database of MariaDB or MySQL: one table and the procedure that presents a
// claim; in MariaDB also what triggers of protected tables run.
//
// These servers tell no transaction from another in SQL, and what a trigger may read outlives a
// transaction. So a presentation is remembered with a mark that no later transaction can have: a
// name of the session that is drawn anew for each, and how many transactions it began and ended so
// far, by what the server counts of its statements. Neither can be left over on a connection that
// somebody else gets: its next BEGIN, the former COMMIT or a reset make another mark.

/** What routines say of their version; where it differs, they are made anew. */
export const MYSQL_VERSION = 'holdfast fence 1';

/** Before the routines; each can be run again. */
export const MYSQL_TABLE = `CREATE TABLE IF NOT EXISTS holdfast_seen (
  resource VARBINARY(512) NOT NULL,
  slot INT NOT NULL,
  max_exclusive BIGINT NOT NULL,
  max_shared BIGINT NOT NULL,
  presented_by VARCHAR(400) CHARACTER SET ascii COLLATE ascii_bin NULL,
  PRIMARY KEY (resource, slot)
) ENGINE=InnoDB`;

/** A routine: what kind it is, its name, and the rest of its statement. */
export type MysqlRoutine = readonly [kind: 'FUNCTION' | 'PROCEDURE', name: string, body: string];

/** Statements that begin or end a transaction, or end one on the way, by the names of counters. */
const ENDING =
  '^COM_(BEGIN|COMMIT|ROLLBACK|XA_[A-Z]+|LOCK_TABLES|UNLOCK_TABLES|' +
  'TRUNCATE|ALTER_[A-Z_]+|RENAME_[A-Z_]+|CREATE_(?!TEMPORARY)[A-Z_]+|DROP_(?!TEMPORARY)[A-Z_]+)$';

const TRANSACTION: MysqlRoutine = [
  'FUNCTION',
  'holdfast_transaction',
  `() RETURNS VARCHAR(400) CHARACTER SET ascii COLLATE ascii_bin
NOT DETERMINISTIC READS SQL DATA COMMENT '${MYSQL_VERSION}'
RETURN IF(@@in_transaction = 0, NULL, CONCAT(@holdfast_session, ' ', (
  SELECT GROUP_CONCAT(variable_value ORDER BY variable_name SEPARATOR ' ')
  FROM information_schema.session_status WHERE variable_name REGEXP '${ENDING}'
    AND variable_value <> '0'
)))`,
];

const CHECK: MysqlRoutine = [
  'PROCEDURE',
  'holdfast_check',
  `(p_resource TEXT CHARACTER SET utf8mb4, p_table TEXT CHARACTER SET utf8mb4)
READS SQL DATA COMMENT '${MYSQL_VERSION}'
BEGIN
  DECLARE problem TEXT;
  IF NOT EXISTS (
    SELECT 1 FROM holdfast_seen WHERE resource = CAST(p_resource AS BINARY)
      AND presented_by = holdfast_transaction()
  ) THEN
    SET problem = CONCAT('NOT_PRESENTED: table ', p_table, ' is protected, and this transaction ',
      'presented no token for ', COALESCE(p_resource, 'this row, which names no resource'));
    SIGNAL SQLSTATE 'HF001' SET MESSAGE_TEXT = problem;
  END IF;
END`,
];

/** Locks the row of one slot, and signals when the token is stale to it. */
const ADMIT: MysqlRoutine = [
  'PROCEDURE',
  'holdfast_admit',
  `(p_resource VARBINARY(512), p_slot INT, p_token BIGINT, p_is_shared BOOLEAN)
MODIFIES SQL DATA COMMENT '${MYSQL_VERSION}'
BEGIN
  DECLARE exclusive_seen, shared_seen BIGINT;
  DECLARE problem TEXT;
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
MODIFIES SQL DATA COMMENT '${MYSQL_VERSION}'
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
     OR p_mode IS NULL OR BINARY p_mode NOT IN ('exclusive', 'shared') OR many IS NULL THEN
    SIGNAL SQLSTATE 'HF003' SET MESSAGE_TEXT =
      'INVALID: expected a resource of 1 to 512 bytes, a token from 1 to 2^53 - 1, a mode, slots';
  END IF;
  SET @holdfast_session = COALESCE(@holdfast_session, UUID());`;

/** All slots are checked before one is written: a refusal here takes nothing back by itself. */
function presenting(mark: string): MysqlRoutine {
  const body = `
  REPEAT
    IF many > 0 THEN
      SET one_slot = JSON_EXTRACT(p_slots, CONCAT('$[', at_slot, ']'));
      -- In one order, or two claims for the same slots could wait for each other.
      IF one_slot IS NULL OR one_slot <= slot_before THEN
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

/** In the order in which they are needed. MySQL has nothing by which to tell transactions. */
export function mysqlRoutines(isMariadb: boolean): readonly MysqlRoutine[] {
  if (!isMariadb) return [ADMIT, presenting('NULL')];
  return [TRANSACTION, CHECK, ADMIT, presenting('holdfast_transaction()')];
}
