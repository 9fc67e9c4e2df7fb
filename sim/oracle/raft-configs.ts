// Who took part when, by the committed log, and whether each step from one configuration to the
// next may be taken (RAFT.md §10). INV-11 across snapshots: a node that starts from a checkpoint
// goes by the configuration that was in force where it ends.

import type { Index, NodeId } from '../../src/base/units.ts';
import type { ClusterConfig, Member } from '../../src/raft/config.ts';
import type { ConfigAt } from '../../src/raft/configurations.ts';
import type { Entry } from '../../src/raft/entry.ts';
import { decodeConfig } from '../../src/wire/config.ts';
import { isSameData } from './outcomes.ts';
import type { Verdict } from './verdict.ts';

/** See the head of this file. As long as the run has membership changes. */
export class CommittedConfigs {
  private readonly verdict: Verdict;
  private readonly list: ConfigAt[] = [];

  constructor(verdict: Verdict) {
    this.verdict = verdict;
  }

  /** The newest one that is committed; null before the first node began. */
  get latest(): ConfigAt | null {
    return this.list.at(-1) ?? null;
  }

  /** A node begins with, or installs, a checkpoint up to `applied`, and goes by this there. */
  begins(by: NodeId, at: ConfigAt, applied: Index): void {
    const known = this.list.findLast(({ index }) => index <= applied);
    if (known === undefined) {
      this.list.push(at);
      return;
    }
    if (at.index === known.index && isSameData(at.config, known.config)) return;
    // Wiped directories that were founded anew are another cluster, with a history of its own.
    if (areStrangers(at.config, known.config)) {
      this.list.splice(0, this.list.length, at);
      return;
    }
    const what = `${by} goes by the configuration of entry ${at.index} at entry ${applied}`;
    this.verdict.report('INV-11', `${what}; that of entry ${known.index} is in force there`);
  }

  /** A node applies an entry with a configuration. */
  applied({ index, payload }: Entry): void {
    const before = this.latest;
    if (before !== null && index <= before.index) return;
    const config = decodeConfig(payload);
    const problem = before === null ? null : stepProblem(before.config, config);
    if (problem !== null) this.verdict.report('INV-11', `the configuration ${index} ${problem}`);
    this.list.push({ index, config });
  }
}

/** The members of both halves and the learners. */
export function everybodyIn(config: ClusterConfig): readonly Member[] {
  return [...config.voters, ...config.votersOutgoing, ...config.learners, ...config.learnersNext];
}

/** Why one configuration may not follow the other; null if it may. */
export function stepProblem(before: ClusterConfig, after: ClusterConfig): string | null {
  const isJoint = after.votersOutgoing.length > 0;
  if (after.voters.length === 0) return 'has no voters';
  if (isJoint && before.votersOutgoing.length > 0) return 'is joint and follows a joint one';
  const isShared = isJoint
    ? isSameSet(after.votersOutgoing, before.voters)
    : isSameSet(after.voters, before.voters);
  if (!isShared) return 'has quorums that need not meet those of the one before';
  const members = everybodyIn(after);
  for (const { nodeId, storeId } of everybodyIn(before)) {
    const now = members.find((member) => member.nodeId === nodeId);
    if (now === undefined && !after.retired.includes(nodeId)) return `forgets that ${nodeId} left`;
    if (now !== undefined && now.storeId !== storeId) return `gives the name ${nodeId} again`;
  }
  const again = members.find(({ nodeId }) => before.retired.includes(nodeId));
  if (again !== undefined) return `brings ${again.nodeId} back, which has left`;
  const lost = before.retired.find((nodeId) => !after.retired.includes(nodeId));
  return lost === undefined ? null : `forgets that ${lost} left`;
}

function isSameSet(some: readonly Member[], others: readonly Member[]): boolean {
  const stores = new Set(others.map(({ storeId }) => storeId));
  return some.length === stores.size && some.every(({ storeId }) => stores.has(storeId));
}

/** No directory of the one is in the other. */
function areStrangers(left: ClusterConfig, right: ClusterConfig): boolean {
  const stores = new Set(right.voters.map(({ storeId }) => storeId));
  return left.voters.every(({ storeId }) => !stores.has(storeId));
}
