// An oracle beside an honest cluster, which can be told lies as if a node had done them.

import { present } from '../../src/base/assert.ts';
import type { NodeId } from '../../src/base/units.ts';
import type { LockMachine } from '../../src/locks/machine-types.ts';
import type { HostWatch } from '../../src/node/host-types.ts';
import type { Entry } from '../../src/raft/entry.ts';
import type { RaftEffect, RaftStart } from '../../src/raft/events.ts';
import type { RaftMessage } from '../../src/raft/messages.ts';
import type { Core } from '../../src/raft/state.ts';
import { RaftOracle } from '../../sim/oracle/raft.ts';
import { Verdict } from '../../sim/oracle/verdict.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { grantAll, withLeader } from './scenario.ts';

/** A node as the oracle sees it. */
export interface Witness {
  readonly core: Core;
  readonly start: RaftStart;
  readonly machine: LockMachine;
  readonly watch: HostWatch;
}

/** A cluster at rest after a few grants, and an oracle of its own that found nothing wrong. */
export interface Rig {
  readonly oracle: RaftOracle;
  readonly verdict: Verdict;
  readonly leader: Witness;
  readonly followers: readonly [Witness, Witness];
  /** Numbers of the three, the leader's first. */
  readonly ids: readonly [NodeId, NodeId, NodeId];
}

export async function createRig(seed: number): Promise<Rig> {
  const verdict = new Verdict(() => 0);
  const oracle = new RaftOracle({ verdict, nowUs: () => 0, limits: DEFAULT_LIMITS });
  const witnesses = new Map<NodeId, Witness>();
  const watch = (id: NodeId): HostWatch => {
    const own = oracle.watch();
    return {
      ...own,
      started: (core, start, machine) => {
        witnesses.set(id, { core, start, machine, watch: own });
        own.started(core, start, machine);
      },
    };
  };
  const { cluster, leader, followers } = await withLeader({ seed, watch });
  await grantAll(cluster, leader, ['a', 'b', 'c']);
  await cluster.converge();
  const of = (id: NodeId): Witness => present(witnesses.get(id), `the witness of ${id}`);
  const [first, second] = followers;
  const ids = [leader, first, second] as const;
  return { oracle, verdict, leader: of(leader), followers: [of(first), of(second)], ids };
}

/** The node does nothing but this. */
export function doing(witness: Witness, ...effects: readonly RaftEffect[]): void {
  witness.watch.stepped({ type: 'tick' }, effects);
}

export function sending(witness: Witness, to: NodeId, message: RaftMessage): void {
  doing(witness, { type: 'send', to, message });
}

/** A further entry of this node's log, with that text. */
export function nextEntry({ core }: Witness, text: string): Entry {
  const { lastIndex, lastTerm } = core.log;
  const payload = new TextEncoder().encode(text);
  const common = { type: 'command', payload, config: null, record: null } as const;
  return { index: lastIndex + 1, term: core.hard.term, prevTerm: lastTerm, ...common };
}

/** The node's disk takes term and vote. */
export function writing(witness: Witness, term: number, nodeId: NodeId): void {
  const version = 1_000 + term;
  doing(witness, { type: 'writeSlots', version, term, vote: { nodeId, storeId: '' } });
  witness.watch.stepped({ type: 'slotsWritten', version }, []);
}

/** The entry comes into the node's log and onto its disk. */
export function storing(witness: Witness, entry: Entry): void {
  const { index: lastIndex, term: lastTerm } = entry;
  witness.core.log.append(entry);
  const batch = { sequence: 1_000, truncateFrom: null, entries: [entry], lastIndex, lastTerm };
  doing(witness, { type: 'persist', ...batch });
  witness.watch.stepped({ type: 'persisted', sequence: 1_000 }, []);
}

/** A further entry of the leader is committed; the second follower does not have it. */
export function committing({ leader, followers: [first] }: Rig): Entry {
  const entry = nextEntry(leader, 'committed');
  storing(leader, entry);
  storing(first, entry);
  leader.core.commitIndex = entry.index;
  doing(leader);
  return entry;
}
