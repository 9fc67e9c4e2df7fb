// A script that is a little different from one that reached something rare.

import type { Fault, Op, Script } from '../script/types.ts';
import { FAULT, FAULTS_MAX, OP, OPS_MAX } from '../script/ranges.ts';
import { FAULT_KINDS, OP_KINDS } from '../script/types.ts';
import { KeyedRandom } from '../world/random.ts';

const EDITS_MAX = 4;
const SHIFT_MS = 1_000;

/** One to four changes and, half of the time, other luck. `seed` below 2^32 decides which. */
export function mutate(script: Script, seed: number): Script {
  const random = new KeyedRandom(seed);
  const edits = 1 + random.below(EDITS_MAX, 'edits');
  let { faults, ops } = script;
  for (let edit = 0; edit < edits; edit++) {
    const dice: Dice = (limit, label) => random.below(limit, label, edit);
    if (dice(2, 'list') === 0) faults = edited(faults, FAULT_EDITS, dice);
    else ops = edited(ops, OP_EDITS, dice);
  }
  const noise = random.below(2, 'luck') === 0 ? script.noise : random.draw('other luck');
  return {
    ...script,
    faults: faults.slice(0, FAULTS_MAX),
    ops: uniquelyNumbered(ops.slice(0, OPS_MAX)),
    noise,
  };
}

type Dice = (limit: number, label: string) => number;
type Edit<T> = (item: T, dice: Dice) => readonly T[];

const FAULT_EDITS: readonly Edit<Fault>[] = [
  () => [],
  (fault, dice) => [fault, { ...fault, atMs: shifted(fault.atMs, dice) }],
  (fault, dice) => [{ ...fault, atMs: shifted(fault.atMs, dice) }],
  (fault, dice) => [{ ...fault, target: dice(FAULT.target.max + 1, 'target') }],
  (fault, dice) => [{ ...fault, arg: dice(FAULT.arg.max + 1, 'arg') }],
  (fault, dice) => [{ ...fault, forMs: scaled(fault.forMs, dice) }],
  (fault, dice) => [{ ...fault, kind: FAULT_KINDS[dice(FAULT_KINDS.length, 'kind')] ?? 'crash' }],
];

const OP_EDITS: readonly Edit<Op>[] = [
  () => [],
  (op, dice) => [op, { ...op, atMs: shifted(op.atMs, dice) }],
  (op, dice) => [{ ...op, atMs: shifted(op.atMs, dice) }],
  (op, dice) => [{ ...op, client: dice(OP.client.max + 1, 'client') }],
  (op, dice) => [{ ...op, key: dice(OP.key.max + 1, 'key') }],
  (op, dice) => [{ ...op, holdMs: scaled(op.holdMs, dice) }],
  (op, dice) => [{ ...op, kind: OP_KINDS[dice(OP_KINDS.length, 'kind')] ?? 'acquire' }],
];

function edited<T>(list: readonly T[], edits: readonly Edit<T>[], dice: Dice): readonly T[] {
  const at = dice(list.length, 'item');
  const item = list[at];
  const edit = edits[dice(edits.length, 'edit')];
  if (item === undefined || edit === undefined) return list;
  return [...list.slice(0, at), ...edit(item, dice), ...list.slice(at + 1)];
}

function shifted(atMs: number, dice: Dice): number {
  return Math.min(Math.max(0, atMs + dice(2 * SHIFT_MS, 'shift') - SHIFT_MS), OP.atMs.max);
}

/** An eighth to twice as long. */
function scaled(durationMs: number, dice: Dice): number {
  return Math.min(Math.floor((durationMs * (1 + dice(16, 'scale'))) / 8), OP.holdMs.max);
}

/** Ids stay with the operations that had them first; a doubled one gets the next that is free. */
function uniquelyNumbered(ops: readonly Op[]): readonly Op[] {
  const used = new Set<number>();
  let free = Math.max(0, ...ops.map(({ id }) => id + 1));
  return ops.map((op) => {
    const id = used.has(op.id) ? free++ : op.id;
    used.add(id);
    return { ...op, id };
  });
}
