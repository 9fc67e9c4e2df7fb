import type { HostWatch } from '../../src/node/host-types.ts';
import { watchElections } from './election-rules.ts';
import { watchMembership } from './membership-rules.ts';
import { watchAll } from './raft-watch.ts';
import type { RaftOracle } from './raft.ts';
import { watchReads } from './read-rules.ts';
import { watchReplication } from './replication-rules.ts';
import { watchHandOvers } from './transfer-rules.ts';
import type { Verdict } from './verdict.ts';

/** Everybody who looks over the shoulder of one life of a node; `others` come last. */
export function watchNode(
  { oracle, verdict }: { readonly oracle: RaftOracle; readonly verdict: Verdict },
  others: readonly (HostWatch | undefined)[],
): HostWatch {
  const own = [
    oracle.watch(),
    watchElections(verdict),
    watchMembership(verdict),
    watchReads(verdict),
    watchReplication(verdict),
    watchHandOvers(verdict),
  ];
  return watchAll([...own, ...others.filter((other) => other !== undefined)]);
}
