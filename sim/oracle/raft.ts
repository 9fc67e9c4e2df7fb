// The promises of consensus and of the lock machine (RAFT.md §1), looked after while nodes run:
// what each step changed is held against all that any node ever showed. Nothing here believes what
// a node says of its own disk. The cost of a step that changes nothing is a few comparisons.

import type { Index, NodeId, Term } from '../../src/base/units.ts';
import type { ReplicatedLimits } from '../../src/locks/commands.ts';
import type { LockMachine } from '../../src/locks/machine-types.ts';
import type { HostWatch } from '../../src/node/host-types.ts';
import type { ClusterConfig } from '../../src/raft/config.ts';
import type { RaftStart } from '../../src/raft/events.ts';
import type { Core } from '../../src/raft/state.ts';
import type { SnapshotMeta } from '../../src/wire/checkpoint.ts';
import { ChainTable } from './log-chain.ts';
import { LogBook } from './log.ts';
import { MachineOracle } from './machine.ts';
import type { FactListener } from './machine.ts';
import { CommittedConfigs } from './raft-configs.ts';
import { Commits } from './raft-commits.ts';
import { Elections } from './raft-elections.ts';
import { LockModel } from './model.ts';
import { NodeHistory } from './raft-history.ts';
import { NodeLife } from './raft-life.ts';
import type { LifeParts } from './raft-life.ts';
import { MessageChecks } from './raft-messages.ts';
import type { CommittedLog } from './types.ts';
import type { Verdict } from './verdict.ts';
import { keptFrom } from './watch-events.ts';

/** Events that nodes keep for watchers, unless told otherwise. */
const WATCH_EVENTS_MAX = 16_384;

/** What the oracle is made of. */
export interface RaftOracleParts {
  readonly verdict: Verdict;
  /** True time in microseconds. */
  readonly nowUs: () => number;
  /** Those that the cluster is founded with. */
  readonly limits: ReplicatedLimits;
  /** Of a cluster that is made of a backup: its state, as the model has it. */
  readonly model?: LockModel | undefined;
}

/** See the head of this file. It remembers all of a run, and ends with it. */
export class RaftOracle {
  private readonly histories = new Map<NodeId, NodeHistory>();
  private readonly lives = new Map<NodeId, NodeLife>();
  private readonly machines: MachineOracle;
  private readonly parts: LifeParts;

  constructor({ verdict, nowUs, limits, model = new LockModel(limits) }: RaftOracleParts) {
    const { histories, lives } = this;
    const machines = new MachineOracle({ verdict, model });
    const elections = new Elections(histories, verdict);
    const commits = new Commits({ histories, lives, verdict });
    this.machines = machines;
    this.parts = {
      verdict,
      elections,
      chain: new ChainTable(verdict),
      commits,
      configs: new CommittedConfigs(verdict),
      messages: new MessageChecks({ histories, lives, elections, commits, verdict }),
      book: new LogBook({ verdict, nowUs, machines }),
    };
  }

  /** Terms in which somebody led, in the order in which they were seen. */
  get terms(): readonly Term[] {
    return this.parts.elections.terms;
  }

  /** Who takes part, by the newest committed configuration; null before any node began. */
  get membership(): ClusterConfig | null {
    return this.parts.configs.latest?.config ?? null;
  }

  /** What was applied by any node. */
  get log(): CommittedLog {
    return this.parts.book;
  }

  /** Tells of what is applied from now on. */
  follow(listener: FactListener): void {
    this.machines.follow(listener);
  }

  /**
   * The entry after which that node has all events for watchers, if it keeps so many: no more
   * than those of its present life.
   */
  keptFrom(id: NodeId, eventsMax = WATCH_EVENTS_MAX): Index {
    const life = this.lives.get(id);
    if (life === undefined) return 0;
    const { begin, appliedIndex: applied } = life;
    return keptFrom(this.log, { begin, applied, eventsMax });
  }

  /** For a new life of a node. */
  watch(): HostWatch {
    let life: NodeLife | null = null;
    return {
      started: (core, start, machine) => {
        life = this.begin(core, start, machine);
      },
      stepped: (event, effects) => life?.stepped(event, effects),
      applied: (entry, command, applied) => life?.applied(entry, command, applied),
      installed: (machine, appliedIndex) => life?.installed(machine, appliedIndex),
    };
  }

  /** The node is told now that a write of its disk failed. */
  writeFailed(id: NodeId): void {
    this.lives.get(id)?.writeFailed();
  }

  /** Committed, or in the log of a node and perhaps about to be: whose majorities are needed. */
  configurations(): readonly ClusterConfig[] {
    const { latest } = this.parts.configs;
    if (latest === null) return [];
    const open = [...this.lives.values()]
      .map(({ core }) => core.configurations.latest)
      .filter(({ index }) => index > latest.index);
    return [latest, ...open].map(({ config }) => config);
  }

  /**
   * INV-12, INV-5: a backup contains all that was applied when it was asked for, `least`, in the
   * state of that entry.
   */
  checkBackup({ checkpoint }: SnapshotMeta, machine: LockMachine, least: Index): void {
    const { verdict, commits, book, configs } = this.parts;
    const { last, config, configIndex } = checkpoint.point;
    const what = (): string => `a backup ends with entry ${last.index} of term ${last.term}`;
    verdict.expect(last.index >= least, 'INV-12', () => `${what()} and lacks entry ${least}`);
    verdict.expect(commits.has(last.index, last.term), 'INV-5', what);
    const hash = machine.stateHash();
    const { rowSum } = checkpoint;
    verdict.expect(hash === rowSum, 'INV-5', () => `${what()}; its rows sum up to ${hash}`);
    book.checkState(last.index, machine, 'a backup');
    configs.begins('a backup', { index: configIndex, config }, last.index);
  }

  /** Looks at the whole state of every node as it is, or was when it died. */
  lookAtAll(): void {
    for (const life of this.lives.values()) life.lookAtAll();
  }

  private begin(core: Core, start: RaftStart, machine: LockMachine): NodeLife {
    const { nodeId, storeId } = start;
    const known = this.histories.get(nodeId);
    const isSameStore = known?.disk.storeId === storeId;
    const history = isSameStore ? known : new NodeHistory(nodeId, start, this.parts.verdict);
    if (isSameStore) known.restart(start);
    this.histories.set(nodeId, history);
    const life = new NodeLife({ core, start, machine }, history, this.parts);
    this.lives.set(nodeId, life);
    return life;
  }
}
