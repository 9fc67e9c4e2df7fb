// What the scenarios about checkpoints share.

import { expect } from 'vitest';
import type { SnapshotPoint } from '../../../src/raft/events.ts';
import type { RaftMessage, SnapshotResponse } from '../../../src/raft/messages.ts';
import { CoreCluster, configOf, elected, payloadOf } from './scenario.ts';
import type { ClusterOptions, CoreNode } from './scenario.ts';

/** The configuration of all clusters here. */
const CONFIG = configOf(['n1', 'n2', 'n3']);
/** Pieces of a hand-made transfer. */
export const COUNT = 3;

/** A checkpoint that ends with `[index, term]`; the members changed at entry 7. */
export function pointAt([index, term]: readonly [number, number]): SnapshotPoint {
  return { last: { index, term }, config: CONFIG, configIndex: Math.min(index, 7) };
}

/** Its pieces, as a leader of that term would send them. */
export function piecesOf(
  term: number,
  last: readonly [number, number],
  transfer = 1,
): readonly RaftMessage[] {
  const text = JSON.stringify({ point: pointAt(last), sum: 12_345 });
  const size = Math.ceil(text.length / COUNT);
  return Array.from({ length: COUNT }, (_, sequence) => ({
    type: 'snapshotPart',
    term,
    part: {
      transfer,
      sequence,
      lastIndex: last[0],
      lastTerm: last[1],
      isLast: sequence === COUNT - 1,
      content: payloadOf(text.slice(sequence * size, (sequence + 1) * size)),
    },
    round: 1,
  }));
}

/** Sends all of them from n2 to n1. */
export function transferTo(cluster: CoreCluster, pieces: readonly RaftMessage[]): void {
  for (const piece of pieces) cluster.inject('n2', 'n1', piece);
}

/** The answer that a checkpoint up to `matchIndex` is in force. */
export function installedAt(term: number, matchIndex: number, transfer = 1): SnapshotResponse {
  const ended = { status: 'installed', sequence: -1 } as const;
  return { type: 'snapshotResponse', term, transfer, ...ended, matchIndex, round: 1 };
}

/** The answer that pieces up to `sequence` are stored. */
export function storedUpTo(term: number, sequence: number, transfer = 1): SnapshotResponse {
  const open = { status: 'stored', matchIndex: 0 } as const;
  return { type: 'snapshotResponse', term, transfer, ...open, sequence, round: 1 };
}

/**
 * A cluster that n1 leads and that n3 has lost; what was proposed meanwhile is in a checkpoint of
 * n1, and but for the newest `trailing` entries only there.
 */
export function laggard(trailing = 0, options: ClusterOptions = {}): CoreCluster {
  const cluster = elected(options);
  cluster.isolate('n3');
  for (let count = 0; count < 10; count++) {
    cluster.propose('n1', `missed ${count}`);
    cluster.deliverAll();
  }
  if (!cluster.node('n1').checkpoint(trailing, cluster.nowUs)) throw new Error('no checkpoint');
  return cluster;
}

/** Names of the effects of a node that concern checkpoints, in order. */
export function snapshotEffects(node: CoreNode): string[] {
  return node.effects.map(({ type }) => type).filter((type) => /snapshot|part/i.test(type));
}

/** n1 with a log of these terms, in a term; n2 speaks as its leader by hand-made messages. */
export function follower(terms: readonly number[], term: number, origin = 0): CoreCluster {
  const logs = { n1: terms };
  return new CoreCluster({ logs, hard: { n1: { term } }, origin, isObserved: false });
}

/** As above, with a received checkpoint up to `last` that waits for the host to put it in force. */
export function installing(
  terms: readonly number[],
  term: number,
  last: readonly [number, number],
): CoreCluster {
  const cluster = follower(terms, term);
  cluster.node('n1').automatic.install = false;
  transferTo(cluster, piecesOf(term, last));
  expect(snapshotEffects(cluster.node('n1')).at(-1)).toBe('installSnapshot');
  cluster.node('n1').sent.length = 0;
  return cluster;
}

/** What it said in this life, or since that was cleared. */
export function answersOf(node: CoreNode): unknown[] {
  return node.sent.map(({ message }) => message);
}
