import { probes } from '../base/probe.ts';
import type { MonoUs } from '../base/units.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { EntryId } from '../raft/events.ts';
import type { SnapshotPart } from '../raft/messages.ts';
import type { HostExit } from './host-types.ts';
import { SnapshotPieces } from './snapshot-pieces.ts';
import type { SnapshotPiece } from './snapshot-pieces.ts';
import type { CheckpointView } from './storage/types.ts';

/** Election time-outs without a word after which a transfer is given up. */
const SILENCES_MAX = 10;

export interface SnapshotSenderOptions {
  /** Number of the transfer, as consensus counts them. */
  readonly transfer: number;
  readonly view: CheckpointView;
  readonly clock: Clock;
  /** Bytes of a piece, and how many may be unanswered. */
  readonly partBytesMax: number;
  readonly partsInFlightMax: number;
  /** Silence after which what is unanswered is sent again. */
  readonly electionUs: number;
  readonly send: (part: SnapshotPart) => void;
  /** The receiver said nothing for too long. */
  readonly onAborted: () => void;
  readonly onFailed: (exit: HostExit) => void;
}

/**
 * Sends one checkpoint to one member, a window of pieces at a time (RAFT.md §9). Whatever gets
 * lost, it goes on after the last piece that the receiver has, and not from the beginning: only one
 * that has nothing is sent everything again.
 */
export class SnapshotSender {
  private readonly options: SnapshotSenderOptions;
  private readonly pieces: SnapshotPieces;
  private readonly last: EntryId;
  /** Read and not answered, in order, from `answered` + 1 on. At most partsInFlightMax. */
  private window: SnapshotPiece[] = [];
  /** Last piece that the receiver has; -1: none. */
  private answered = -1;
  /** Next piece to be sent. */
  private next = 0;
  /** Pieces that were ever sent: the receiver may have more than we counted since. */
  private sentCount = 0;
  private isReading = false;
  private isOver = false;
  private heardUs: MonoUs;
  private wentBackUs: MonoUs;
  private timer: Timer | null = null;

  constructor(options: SnapshotSenderOptions) {
    this.options = options;
    this.pieces = new SnapshotPieces(options.view, options.partBytesMax);
    this.last = options.view.checkpoint.point.last;
    this.heardUs = options.clock.monoUs();
    this.wentBackUs = this.heardUs;
  }

  start(): void {
    this.arm();
    this.pump();
  }

  /** Lets go of the view. Idempotent. */
  stop(): void {
    this.isOver = true;
    this.timer?.cancel();
    this.options.view.close();
  }

  /** The receiver has everything up to `sequence`, -1: nothing. */
  onStored(sequence: number): void {
    if (this.isOver) return;
    this.heardUs = this.options.clock.monoUs();
    if (sequence >= this.sentCount) return; // an answer that no piece of ours can have
    if (sequence > this.answered) this.advance(sequence);
    else if (sequence < this.answered) this.beginAnew();
    else this.meetGap();
    this.pump();
  }

  /** What was unanswered is probably lost with the old connection. */
  onLinkUp(): void {
    if (this.isOver) return;
    this.goBack();
    this.pump();
  }

  // Possibly beyond `next`: an old answer that came late made us begin anew, though the receiver
  // had not. It will not take again what it has, so we read on to what it lacks.
  private advance(sequence: number): void {
    probes.sometimes('transfer-skips-ahead', sequence >= this.next);
    this.window = this.window.filter((piece) => piece.sequence > sequence);
    this.answered = sequence;
    this.next = Math.max(this.next, sequence + 1);
  }

  /** It began anew, for example after a restart: what it had is gone. Or the answer is old. */
  private beginAnew(): void {
    // While a piece is being read, later: it will say so again.
    if (this.isReading) return;
    probes.reach('transfer-begins-anew');
    this.pieces.restart();
    this.window = [];
    this.answered = -1;
    this.next = 0;
  }

  // The same answer twice: a piece is missing, or one came twice. Were each of these a reason to
  // send the window again, one that came twice would make the whole transfer come twice.
  private meetGap(): void {
    if (this.options.clock.monoUs() - this.wentBackUs >= this.options.electionUs) this.goBack();
  }

  private goBack(): void {
    probes.sometimes('transfer-goes-back', this.next > this.answered + 1);
    this.wentBackUs = this.options.clock.monoUs();
    this.next = this.answered + 1;
  }

  private pump(): void {
    while (!this.isOver) {
      const piece = this.window[this.next - this.answered - 1];
      if (piece === undefined) break;
      this.next += 1;
      this.sentCount = Math.max(this.sentCount, this.next);
      this.send(piece);
    }
    this.readMore();
  }

  private readMore(): void {
    if (this.isReading || this.isOver) return;
    if (this.window.length >= this.options.partsInFlightMax) return;
    this.isReading = true;
    this.pieces.next((result) => {
      this.isReading = false;
      if (this.isOver) return;
      if (!result.ok) return this.options.onFailed(result.exit);
      if (result.value === null) return;
      if (result.value.sequence > this.answered) this.window.push(result.value);
      this.pump();
    });
  }

  private send({ sequence, isLast, content }: SnapshotPiece): void {
    const { index: lastIndex, term: lastTerm } = this.last;
    const { transfer } = this.options;
    this.options.send({ transfer, sequence, lastIndex, lastTerm, isLast, content });
  }

  private arm(): void {
    const { clock, electionUs } = this.options;
    this.timer = clock.after(electionUs, () => {
      const silenceUs = clock.monoUs() - this.heardUs;
      if (silenceUs >= SILENCES_MAX * electionUs) return this.abort();
      this.arm();
      if (silenceUs < electionUs) return;
      this.goBack();
      this.pump();
    });
  }

  private abort(): void {
    probes.reach('transfer-aborted');
    this.stop();
    this.options.onAborted();
  }
}
