import { present, unreachable } from '../base/assert.ts';
import type { NodeId } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { createMachineLoader } from '../locks/loader.ts';
import type { SnapshotPoint } from '../raft/events.ts';
import type { SnapshotPart } from '../raft/messages.ts';
import type { SnapshotMeta } from '../wire/checkpoint.ts';
import type { CheckpointSettings } from './checkpoint-settings.ts';
import type { Checkpointer } from './checkpointer.ts';
import type { Engine, SnapshotEffect } from './engine.ts';
import type { HostExit } from './host-types.ts';
import type { LockState } from './lock-state.ts';
import { SnapshotReceiver } from './snapshot-receiver.ts';
import { SnapshotSenders } from './snapshot-senders.ts';
import type { NodeStorage } from './storage/types.ts';

export interface SnapshotTrafficOptions {
  readonly state: LockState;
  readonly engine: Engine;
  readonly checkpointer: Checkpointer;
  readonly storage: NodeStorage;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: CheckpointSettings;
  readonly electionMs: number;
  readonly clusterId: string;
  /** Another machine is in force, on disk and in `state`; in the turn in which it became so. */
  readonly onInstalled: (point: SnapshotPoint) => void;
  readonly onFailed: (exit: HostExit) => void;
}

/**
 * Checkpoints on their way from and to this node, as consensus wants them, and the moment in which
 * one that came takes the place of the state.
 */
export class SnapshotTraffic {
  readonly senders: SnapshotSenders;
  private readonly options: SnapshotTrafficOptions;
  private readonly receiver: SnapshotReceiver;

  constructor(options: SnapshotTrafficOptions) {
    const { engine, storage, clock, logger, clusterId, onFailed } = options;
    const { checkpointer, settings, electionMs } = options;
    this.options = options;
    this.receiver = new SnapshotReceiver({
      storage,
      clock,
      logger,
      createLoader: ({ limits }) => createMachineLoader(limits),
      problemOf: (meta, part) => problemOf(meta, part, clusterId),
      onAnswer: (answer) => engine.step({ type: 'partStored', ...answer }),
      onFailed,
    });
    this.senders = new SnapshotSenders({
      storage,
      checkpointer,
      clock,
      settings,
      electionMs,
      configIndex: () => engine.status().configIndex,
      send: (to, part) => engine.step({ type: 'snapshotPart', to, part }),
      onAborted: (to, transfer) => engine.step({ type: 'snapshotAborted', to, transfer }),
      onFailed,
    });
  }

  onEffect(effect: SnapshotEffect): void {
    switch (effect.type) {
      case 'sendSnapshot':
        return this.senders.begin(effect.to, effect.transfer);
      case 'snapshotAnswered':
        // Of the other answers consensus says itself that the transfer is over.
        if (effect.status !== 'stored') return;
        return this.senders.onStored(effect.to, effect.transfer, effect.sequence);
      case 'endSnapshot':
        return this.senders.end(effect.to, effect.transfer);
      case 'storePart':
        return this.receiver.store(effect.from, effect.term, effect.part);
      case 'installSnapshot':
        return this.install(effect.point, effect.keepsSuffix);
      case 'discardSnapshot':
        return this.receiver.discard();
      default:
        return unreachable(effect);
    }
  }

  onLinkUp(peer: NodeId): void {
    this.senders.onLinkUp(peer);
  }

  stop(): void {
    this.senders.stop();
    this.receiver.discard();
  }

  /**
   * Replaces the state as a whole. 1. No checkpoint of the old state is on its way to the disk.
   * 2. One batch puts the rows in force. 3. The machine changes in one turn with all that hangs on
   * it, before consensus goes on: nobody meets half of the one and half of the other.
   */
  private install(point: SnapshotPoint, keepsSuffix: boolean): void {
    const { state, engine, checkpointer, onInstalled, onFailed } = this.options;
    const { incoming, machine } = present(this.receiver.take(), 'the checkpoint to be installed');
    checkpointer.hold(() => {
      incoming.install(keepsSuffix, (result) => {
        if (!result.ok) return onFailed(result.exit);
        engine.run(() => {
          state.replace(machine, point.last.index);
          this.receiver.release();
          checkpointer.restart(point.last.index);
          engine.forgetFloor();
          onInstalled(point);
          engine.step({ type: 'snapshotInstalled', point });
        });
      });
    });
  }
}

function problemOf(
  { founding, checkpoint }: SnapshotMeta,
  part: SnapshotPart,
  clusterId: string,
): string | null {
  const { index, term } = checkpoint.point.last;
  if (founding.clusterId !== clusterId) return `it is of the cluster ${founding.clusterId}`;
  if (index === part.lastIndex && term === part.lastTerm) return null;
  return `it ends at ${index}, and ${part.lastIndex} was announced`;
}
