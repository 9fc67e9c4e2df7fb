import { probes } from '../base/probe.ts';
import type { Index, NodeId } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { SnapshotPart } from '../raft/messages.ts';
import type { CheckpointSettings } from './checkpoint-settings.ts';
import type { Checkpointer } from './checkpointer.ts';
import { membersOf } from './handshake.ts';
import type { HostExit } from './host-types.ts';
import { SnapshotSender } from './snapshot-sender.ts';
import type { CheckpointView, NodeStorage } from './storage/types.ts';

export interface SnapshotSendersOptions {
  readonly storage: Pick<NodeStorage, 'view'>;
  readonly checkpointer: Pick<Checkpointer, 'durableIndex' | 'takeNow'>;
  readonly clock: Clock;
  readonly settings: CheckpointSettings;
  readonly electionMs: number;
  /** Index of the configuration in force. */
  readonly configIndex: () => Index;
  readonly send: (to: NodeId, part: SnapshotPart) => void;
  readonly onAborted: (to: NodeId, transfer: number) => void;
  readonly onFailed: (exit: HostExit) => void;
}

/** One transfer, from the moment that consensus asks for it. */
interface Outgoing {
  readonly to: NodeId;
  readonly transfer: number;
  /** What the receiver needs of the log begins after this entry. */
  pinnedIndex: Index;
  /** Null until the checkpoint is held still. */
  sender: SnapshotSender | null;
}

/** The checkpoints on their way to members that are behind the log, one for each of them. */
export class SnapshotSenders {
  private readonly options: SnapshotSendersOptions;
  private readonly outgoing = new Map<NodeId, Outgoing>();

  constructor(options: SnapshotSendersOptions) {
    this.options = options;
  }

  /** The transfers need the entries above this one; null: there is none. */
  get pinnedIndex(): Index | null {
    const pinned = [...this.outgoing.values()].map(({ pinnedIndex }) => pinnedIndex);
    return pinned.length === 0 ? null : Math.min(...pinned);
  }

  /** Begins a transfer, which ends one before to the same member. */
  begin(to: NodeId, transfer: number): void {
    this.outgoing.get(to)?.sender?.stop();
    // Whatever is durable later contains more.
    const pinnedIndex = this.options.checkpointer.durableIndex;
    const outgoing = { to, transfer, pinnedIndex, sender: null };
    this.outgoing.set(to, outgoing);
    this.open(outgoing, (view) => this.waitUntilNamed(outgoing, view));
  }

  /** The member has all pieces up to `sequence`, -1: none. */
  onStored(to: NodeId, transfer: number, sequence: number): void {
    const outgoing = this.outgoing.get(to);
    if (outgoing?.transfer === transfer) outgoing.sender?.onStored(sequence);
  }

  /** The transfer is over; one that is over already is none of ours. */
  end(to: NodeId, transfer: number): void {
    const outgoing = this.outgoing.get(to);
    if (outgoing?.transfer !== transfer) return;
    outgoing.sender?.stop();
    this.outgoing.delete(to);
  }

  onLinkUp(peer: NodeId): void {
    this.outgoing.get(peer)?.sender?.onLinkUp();
  }

  stop(): void {
    for (const { sender } of this.outgoing.values()) sender?.stop();
    this.outgoing.clear();
  }

  /**
   * A member begins at or after the configuration that adds it: of an older one it could take
   * itself for somebody else (RAFT.md §10.6). If the checkpoint is older, a new one is taken.
   */
  private waitUntilNamed(outgoing: Outgoing, view: CheckpointView): void {
    view.close();
    probes.reach('transfer-waits-for-checkpoint');
    const { checkpointer, configIndex } = this.options;
    checkpointer.takeNow(configIndex(), (isDurable) => {
      if (isDurable && this.isOpen(outgoing))
        this.open(outgoing, (older) => this.abort(outgoing, older));
    });
  }

  private open(outgoing: Outgoing, whenUnnamed: (view: CheckpointView) => void): void {
    this.options.storage.view((result) => {
      if (!result.ok) return this.options.onFailed(result.exit);
      const view = result.value;
      if (!this.isOpen(outgoing)) return view.close();
      const members = membersOf(view.checkpoint.point.config);
      if (members.some(({ nodeId }) => nodeId === outgoing.to)) this.send(outgoing, view);
      else whenUnnamed(view);
    });
  }

  private send(outgoing: Outgoing, view: CheckpointView): void {
    const { clock, settings, electionMs, send, onFailed } = this.options;
    const { to, transfer } = outgoing;
    outgoing.pinnedIndex = view.checkpoint.point.last.index;
    outgoing.sender = new SnapshotSender({
      transfer,
      view,
      clock,
      partBytesMax: settings.partBytesMax,
      partsInFlightMax: settings.partsInFlightMax,
      electionUs: electionMs * US_PER_MS,
      send: (part) => send(to, part),
      onAborted: () => this.forget(outgoing),
      onFailed,
    });
    outgoing.sender.start();
  }

  private abort(outgoing: Outgoing, view: CheckpointView): void {
    view.close();
    this.forget(outgoing);
  }

  private forget(outgoing: Outgoing): void {
    this.outgoing.delete(outgoing.to);
    this.options.onAborted(outgoing.to, outgoing.transfer);
  }

  private isOpen(outgoing: Outgoing): boolean {
    return this.outgoing.get(outgoing.to) === outgoing;
  }
}
