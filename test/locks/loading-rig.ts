// Rows out of machines, and machines out of rows.

import { compareUtf8 } from '../../src/base/name.ts';
import type { ReplicatedLimits } from '../../src/locks/commands.ts';
import { createMachineLoader } from '../../src/locks/loader.ts';
import type { LockMachine, Row, RowValue } from '../../src/locks/machine-types.ts';

/** All rows in the order of their keys. */
export function sortedRows(machine: LockMachine): readonly Row[] {
  return [...machine.rows()].sort((left, right) => compareUtf8(left.key, right.key));
}

/** The machine of these rows; they come in pages, and are looked through in small steps. */
export function loaded(rows: readonly Row[], limits: ReplicatedLimits): LockMachine {
  const loader = createMachineLoader(limits);
  for (let at = 0; at < rows.length; at += 7) loader.add(rows.slice(at, at + 7));
  while (!loader.finish(3));
  return loader.machine();
}

/** Brings a copy of all rows up to date by the changes alone. */
export function keepChanges(machine: LockMachine, kept: Map<string, RowValue>): void {
  for (const { key, value } of machine.takeChanges()) {
    if (value === null) kept.delete(key);
    else kept.set(key, value);
  }
}

/** Such a copy in the order of its keys. */
export function rowsIn(kept: ReadonlyMap<string, RowValue>): readonly Row[] {
  const rows = [...kept].map(([key, value]) => ({ key, value }));
  return rows.sort((left, right) => compareUtf8(left.key, right.key));
}
