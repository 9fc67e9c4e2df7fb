import type { Index, NodeId } from '../base/units.ts';
import type { Entry } from '../raft/entry.ts';
import type { RaftStart } from '../raft/events.ts';
import { Applier } from './applier.ts';
import type { CheckpointSettings } from './checkpoint-settings.ts';
import { DEFAULT_CHECKPOINTS } from './checkpoint-settings.ts';
import { Checkpointer } from './checkpointer.ts';
import type { Engine, SnapshotEffect } from './engine.ts';
import type { HostExit, HostPorts, HostSettings } from './host-types.ts';
import type { LockState } from './lock-state.ts';
import type { News } from './news.ts';
import type { Office } from './office.ts';
import type { Proposals } from './proposals.ts';
import { SnapshotTraffic } from './snapshot-traffic.ts';
import type { NodeStorage } from './storage/types.ts';
import type { Watches } from './watches.ts';

export interface StateKeeperOptions {
  readonly state: LockState;
  readonly engine: Engine;
  readonly storage: NodeStorage;
  readonly ports: HostPorts;
  readonly settings: HostSettings;
  readonly start: RaftStart;
  readonly clusterId: string;
  readonly office: Office;
  readonly proposals: Proposals;
  readonly news: News;
  readonly watches: Watches;
  /** What the state hashed to when this entry was applied. */
  readonly onStateHash: (index: Index, hash: string) => void;
  readonly onFailed: (exit: HostExit) => void;
}

/**
 * Everything that changes the lock state: entries that are applied, checkpoints that make it
 * durable, and one from elsewhere that replaces it.
 */
export class StateKeeper {
  readonly checkpointer: Checkpointer;
  private readonly options: StateKeeperOptions;
  private readonly settings: CheckpointSettings;
  private readonly applier: Applier;
  private readonly snapshots: SnapshotTraffic;

  constructor(options: StateKeeperOptions) {
    this.options = options;
    this.settings = { ...DEFAULT_CHECKPOINTS, ...options.settings.checkpoints };
    this.checkpointer = this.createCheckpointer();
    this.applier = this.createApplier();
    this.snapshots = this.createSnapshots();
    options.office.adopt(options.state.machine);
  }

  start(): void {
    this.checkpointer.start();
  }

  stop(): void {
    this.checkpointer.stop();
    this.snapshots.stop();
  }

  apply(entries: readonly Entry[]): void {
    this.applier.apply(entries);
  }

  onSnapshot(effect: SnapshotEffect): void {
    this.snapshots.onEffect(effect);
  }

  onLinkUp(peer: NodeId): void {
    this.snapshots.onLinkUp(peer);
  }

  private createCheckpointer(): Checkpointer {
    const { state, storage, ports, start, engine, onFailed } = this.options;
    return new Checkpointer({
      state,
      storage,
      clock: ports.clock,
      logger: ports.logger,
      settings: this.settings,
      durableIndex: start.applied,
      anchorIndex: start.anchor.index,
      pointAt: (index) => engine.pointAt(index),
      pinnedIndex: () => this.snapshots.senders.pinnedIndex,
      onCopied: () => engine.run(() => this.applier.resume()),
      onDurable: (anchor) =>
        engine.run(() => {
          engine.step({ type: 'compacted', anchor });
          this.applier.resume();
        }),
      onFailed,
    });
  }

  private createApplier(): Applier {
    const { state, engine, office, proposals, news, watches, ports, onStateHash } = this.options;
    return new Applier({
      ...{ state, office, proposals, news, watches, onStateHash },
      checkpointer: this.checkpointer,
      watch: ports.watch,
      hashEvery: this.settings.hashEvery,
      soon: (callback) => ports.clock.soon(() => engine.run(callback)),
      onApplied: (index) => engine.step({ type: 'applied', index }),
    });
  }

  private createSnapshots(): SnapshotTraffic {
    const { checkpointer, settings } = this;
    const { state, engine, storage, ports, clusterId, onFailed } = this.options;
    const { clock, logger } = ports;
    return new SnapshotTraffic({
      ...{ state, engine, checkpointer, storage, clock, logger, settings, clusterId, onFailed },
      electionMs: this.options.settings.electionMs,
      onInstalled: () => this.onInstalled(),
    });
  }

  /**
   * Another machine is in force: what followed from the old one begins again. A follower has no
   * requests of its own under way; they were answered when its office ended.
   */
  private onInstalled(): void {
    const { state, office, watches, ports } = this.options;
    const { machine, appliedIndex } = state;
    office.adopt(machine);
    watches.restart(appliedIndex);
    ports.watch?.installed(machine, appliedIndex);
    ports.logger.info('Took over a checkpoint', { index: appliedIndex });
  }
}
