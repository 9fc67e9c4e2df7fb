// Small values that many tests need: members, entries, settings, a keyed source of random bits.

import type { ClusterConfig, Member } from '../../../src/raft/config.ts';
import type { Entry } from '../../../src/raft/entry.ts';
import { DEFAULT_RAFT_SETTINGS } from '../../../src/raft/events.ts';
import type { RaftSettings, TermRun } from '../../../src/raft/events.ts';

/** H and E as in the product; the limits too, unless a test narrows them. */
export const SETTINGS: RaftSettings = DEFAULT_RAFT_SETTINGS;
export const H = SETTINGS.heartbeatUs;
export const E = SETTINGS.electionUs;

/** The member `n1` has the data directory `s1`, and so on. */
export function member(nodeId: string): Member {
  return { nodeId, storeId: `s${nodeId.slice(1)}`, address: `127.0.0.1:${nodeId.slice(1)}` };
}

/** A configuration from names: voters, then what else there is. */
export function configOf(
  voters: readonly string[],
  more: { outgoing?: readonly string[]; learners?: readonly string[] } = {},
): ClusterConfig {
  return {
    voters: voters.map(member),
    votersOutgoing: (more.outgoing ?? []).map(member),
    learners: (more.learners ?? []).map(member),
    learnersNext: [],
    retired: [],
  };
}

/** What an entry carries for a configuration; the core does not look into it. */
export function encodeConfig(config: ClusterConfig): Uint8Array {
  return payloadOf(JSON.stringify(config));
}

/** Entries with these terms, from `origin + 1` on: `entriesOf([1, 1, 2])`. */
export function entriesOf(terms: readonly number[], origin = 0): Entry[] {
  return terms.map((term, at) => ({
    index: origin + at + 1,
    term,
    prevTerm: at === 0 ? 0 : (terms[at - 1] ?? 0),
    type: 'command',
    payload: payloadOf(`${origin + at + 1}/${term}`),
    config: null,
    record: null,
  }));
}

/** Runs of the terms of contiguous entries. */
export function runsOf(entries: readonly Entry[]): TermRun[] {
  const runs: TermRun[] = [];
  for (const { index, term } of entries) {
    if (runs[runs.length - 1]?.term !== term) runs.push({ term, firstIndex: index });
  }
  return runs;
}

/** A payload with a readable text. */
export function payloadOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A payload of a size. */
export function payloadOfSize(sizeBytes: number): Uint8Array {
  return new Uint8Array(sizeBytes);
}

/** Whole numbers from 0 to 2^32 - 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
