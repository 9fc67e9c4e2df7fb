// Looks at all nodes of a cluster at once, which no node can: what Raft promises about several of
// them together (RAFT.md §1). A broken promise is an InvariantError that names it.

import { assert } from '../src/base/assert.ts';
import type { NodeStatus } from '../src/wire/client-messages.ts';

/** A node of which a status was read; `life` tells one process from the next. */
export interface Sighting {
  readonly life: number;
  readonly status: NodeStatus;
}

/** Applied indices whose hash is remembered; older ones are forgotten. */
const HASHES_MAX = 20_000;

/** Checks what it is shown against everything that it was shown before. */
export class Observer {
  private readonly leaders = new Map<number, string>();
  private readonly hashes = new Map<number, string>();
  private readonly last = new Map<string, Sighting>();

  /** Terms in which a leader was seen, in the order in which they were seen. */
  get terms(): readonly number[] {
    return [...this.leaders.keys()];
  }

  see(sighting: Sighting): void {
    const { status } = sighting;
    // A node without a replica has no state: blank, or on the way up or down.
    if (status.clusterId === null) return;
    this.checkElectionSafety(status);
    this.checkProgress(sighting);
    this.checkStateSafety(status);
    this.last.set(status.nodeId, sighting);
  }

  /** INV-1: at most one leader per term, across restarts. */
  private checkElectionSafety({ role, term, nodeId }: NodeStatus): void {
    if (role !== 'leader') return;
    const known = this.leaders.get(term) ?? nodeId;
    assert(known === nodeId, `INV-1: ${known} and ${nodeId} both led in term ${term}`);
    this.leaders.set(term, nodeId);
  }

  /**
   * INV-7 and INV-9 within one life. A term that was not durable yet, and so was told to nobody,
   * may be gone in the next one.
   */
  private checkProgress({ life, status }: Sighting): void {
    const { nodeId, term, commitIndex, appliedIndex, lastIndex } = status;
    assert(commitIndex <= lastIndex, `INV-9: ${nodeId} committed ${commitIndex} of ${lastIndex}`);
    assert(appliedIndex <= commitIndex, `INV-9: ${nodeId} applied ${appliedIndex}`);
    const before = this.last.get(nodeId);
    if (before === undefined || before.life !== life) return;
    assert(term >= before.status.term, `INV-7: ${nodeId} went back to term ${term}`);
    assert(commitIndex >= before.status.commitIndex, `INV-9: commit of ${nodeId} went back`);
    assert(appliedIndex >= before.status.appliedIndex, `INV-9: applied of ${nodeId} went back`);
  }

  /** INV-5: the same applied index, the same state, however it got there. */
  private checkStateSafety({ nodeId, appliedIndex, stateHash }: NodeStatus): void {
    const known = this.hashes.get(appliedIndex) ?? stateHash;
    assert(known === stateHash, `INV-5: ${nodeId} differs in its state at ${appliedIndex}`);
    this.hashes.set(appliedIndex, stateHash);
    if (this.hashes.size <= HASHES_MAX) return;
    const [oldest] = this.hashes.keys();
    if (oldest !== undefined) this.hashes.delete(oldest);
  }
}
