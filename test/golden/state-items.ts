// Rows of the lock machine's state as a checkpoint stores them: one of each kind.

import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { createMachineLoader } from '../../src/locks/loader.ts';
import { createLockMachine } from '../../src/locks/machine.ts';
import type { Row } from '../../src/locks/machine-types.ts';
import { readStateRow, stateOp } from '../../src/node/storage/state-rows.ts';
import { decodeSnapshotRows, encodeSnapshotRows } from '../../src/wire/checkpoint.ts';
import { decodePayload, encodeBody, encodePayload } from '../../src/wire/command.ts';
import type { CommandBody } from '../../src/wire/command.ts';
import { decodeRowValue, encodeRowValue } from '../../src/wire/rows.ts';
import { ORIGIN } from '../wire/samples.ts';
import { item } from './item.ts';
import type { GoldenItem } from './item.ts';

const GENERATION = 7;
const STAMP = { ackedBelow: 1, stampMs: 1_790_000_000_000 };

/** Items of the state: each row by itself, and all of them as a machine that they make. */
export function stateItems(): readonly GoldenItem[] {
  const { rows, stateHash } = sampleState();
  const whole = item({
    name: 'r/all',
    about: 'all rows of a state in one piece of a transfer, and the sum that they have',
    value: stateHash,
    encode: () => encodeSnapshotRows(rows.map(storedRow)),
    decode: (bytes) => sumOf(decodeSnapshotRows(bytes).map(({ key, value }) => rowOf(key, value))),
  });
  return [...rows.map(rowItem), whole];
}

function rowItem(row: Row): GoldenItem {
  const { key } = stateOp(GENERATION, { key: row.key, value: null });
  return item({
    name: key.replaceAll(' ', '_'),
    about: `the row ${JSON.stringify(row.key)} of the state`,
    value: row,
    encode: (value) => sealed(value),
    decode: (bytes) => {
      const stored = readStateRow({ key, value: bytes });
      return rowOf(stored.key, stored.value);
    },
  });
}

function sealed(row: Row): Uint8Array {
  const op = stateOp(GENERATION, storedRow(row));
  if (op.type !== 'put') throw new Error('a row that is there is put');
  return op.value;
}

function storedRow({ key, value }: Row) {
  return { key, value: encodeRowValue(value) };
}

function rowOf(key: string, value: Uint8Array): Row {
  return { key, value: decodeRowValue(value) };
}

function sumOf(rows: readonly Row[]): string {
  const loader = createMachineLoader(DEFAULT_LIMITS);
  loader.add(rows);
  while (!loader.finish(1_000));
  const machine = loader.machine();
  machine.checkInvariants();
  return machine.stateHash();
}

/** A state with sessions, grants, a waiter, an answer, a ghost, and limits that changed. */
function sampleState(): { readonly rows: readonly Row[]; readonly stateHash: string } {
  const machine = createLockMachine(DEFAULT_LIMITS);
  bodies().forEach((body, at) => {
    const command = decodePayload(encodePayload(encodeBody(body), STAMP));
    machine.apply(ORIGIN + 1 + at, 12, command);
  });
  const rows = [...machine.rows()].map((row) => ({ ...row, bytes: Buffer.from(row.key) }));
  rows.sort((left, right) => Buffer.compare(left.bytes, right.bytes));
  return { rows: rows.map(({ key, value }) => ({ key, value })), stateHash: machine.stateHash() };
}

function bodies(): readonly CommandBody[] {
  const nonces = ['AbCdEfGhIjKlMnOp', 'BbCdEfGhIjKlMnOp', 'CbCdEfGhIjKlMnOp'];
  const [holder = '', leaver = '', waiter = ''] = nonces.map(
    (nonce, at) => `${ORIGIN + 1 + at}-${nonce}`,
  );
  const [first = '', second = '', third = ''] = nonces;
  const limits = { ...DEFAULT_LIMITS, ttlMsMax: DEFAULT_LIMITS.ttlMsMax - 1 };
  return [
    opening(first, { ttlMs: null, lockDelayMs: 0 }),
    opening(second, { ttlMs: 15_000, lockDelayMs: 5_000 }),
    opening(third, { ttlMs: 20_000, lockDelayMs: 0 }),
    acquisition(holder, 'orders/42', 1),
    {
      ...acquisition(holder, 'größe', 2),
      items: [
        { name: 'größe', mode: 'shared', permits: null },
        { name: 'gpu', mode: 'exclusive', permits: [2, 4] },
      ],
    },
    acquisition(leaver, 'left behind', 1),
    acquisition(waiter, 'orders/42', 1),
    { ...acquisition(waiter, 'orders/42', 2), waitMs: 0 },
    { op: 'expireSession', session: leaver, proposerTerm: 12 },
    { op: 'setLimits', limits, by: 'ops' },
  ];
}

function opening(
  nonce: string,
  times: { readonly ttlMs: number | null; readonly lockDelayMs: number },
): CommandBody {
  return {
    op: 'openSession',
    nonce,
    ...times,
    name: 'worker',
    meta: '{"host":"a"}',
  };
}

function acquisition(session: string, name: string, seq: number) {
  return {
    op: 'acquire',
    session,
    seq,
    items: [{ name, mode: 'exclusive', permits: null }],
    waitMs: null,
    meta: '',
    value: 'here',
  } as const satisfies CommandBody;
}
