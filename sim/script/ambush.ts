// Waiting for the moment at which a fault does most harm. Bugs of durability show when a node dies
// while something is being written, bugs of elections when a leader is lost that has just won, and
// bugs of the membership when one is lost that has just begun to change it.

import type { SimNode } from '../cluster-node.ts';
import { CLIENT_TARGETS } from './fault-groups.ts';
import type { FaultField } from './fault-field.ts';
import type { Fault, FaultKind } from './types.ts';

/** Something to wait for, looked for again and again without leaving a trace. */
export interface Wait {
  readonly isTrue: () => boolean;
  readonly everyUs: number;
  /** Then it is too late. */
  readonly withinUs: number;
}

const WHOLE_CLUSTER: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'crashAll',
  'powerLossAll',
  'resetAll',
  'swizzle',
]);
/** Of an `arg`: from here on it is about a change of the membership. */
export const CHANGE = 512;
/** The same, and about one that is joint. */
export const JOINT = CHANGE + 256;
/** Above these bits of an `arg`: how long after the change was seen a fault strikes. */
export const LINGER_SHIFT = 5;
const CHANGE_US_MAX = 2_500_000;
const DEADLY: readonly FaultKind[] = ['crash', 'powerLoss', 'crashAll', 'powerLossAll'];

/** For faults that are meant for a leader while nobody leads: the next one. */
export function leaderWait(field: FaultField, { kind, target }: Fault): Wait | null {
  const isAimed = target === 0 && !WHOLE_CLUSTER.has(kind) && !CLIENT_TARGETS.has(kind);
  if (!isAimed || field.leader() !== null) return null;
  const { oracle } = field.cluster;
  const terms = oracle.terms.length;
  return { isTrue: () => oracle.terms.length > terms, everyUs: 200, withinUs: 1_000_000 };
}

/** For faults that strike a node dead, with an odd `arg`: a write of that node. */
export function writeWait({ disk }: SimNode, { kind, arg }: Fault): Wait | null {
  if (kind === 'tornSlot' || (kind === 'rotSlot' && arg % 2 === 1)) {
    // Slots are written at elections, and once a second to raise the durable floor.
    const isTrue = (): boolean => disk.writes.waiting.some((name) => name.startsWith('slotWrite'));
    return { isTrue, everyUs: 400, withinUs: 1_100_000 };
  }
  if (!DEADLY.includes(kind) || arg % 2 === 0) return null;
  return { isTrue: () => disk.writes.waiting.length > 0, everyUs: 150, withinUs: 20_000 };
}

/** What a fault of a node waits for before all else: a change of the membership, or nothing. */
export function changeMeant({ kind, arg }: Fault): 'open' | 'joint' | null {
  if (arg < CHANGE || CLIENT_TARGETS.has(kind)) return null;
  return arg < JOINT ? 'open' : 'joint';
}

/**
 * For faults with an `arg` from 512 on: somebody has a configuration in its log that is not
 * committed; from 768 on one that is joint, whether committed or not.
 */
export function changeWait({ cluster }: FaultField, fault: Fault): Wait | null {
  const change = changeMeant(fault);
  if (change === null) return null;
  const isTrue = (): boolean => {
    const configs = cluster.oracle.configurations();
    const isJoint = configs.some(({ votersOutgoing }) => votersOutgoing.length > 0);
    return isJoint || (change === 'open' && configs.length > 1);
  };
  return { isTrue, everyUs: 200, withinUs: CHANGE_US_MAX };
}

/** How long after the change was seen it strikes: three bits of `arg`, 0 to 16 ms. */
export function changeLingerUs(fault: Fault): number {
  const bits = (fault.arg >> LINGER_SHIFT) & 7;
  return changeMeant(fault) === null || bits === 0 ? 0 : 125 << bits;
}

/**
 * How long after the write was seen it strikes: the next three bits of `arg`, 0 to 32 ms. For
 * `rotSlot` the third bit and the fourth, 0.5 to 4 ms: it is written by then, and not long ago.
 */
export function lingerUs({ kind, arg }: Fault): number {
  if (kind === 'rotSlot') return arg % 2 === 1 ? 500 << ((arg >> 2) & 3) : 0;
  const bits = (arg >> 1) & 7;
  return kind === 'tornSlot' || bits === 0 ? 0 : 250 << bits;
}
