// What a host does with checkpoints, on a disk and a state machine that are simple enough to be
// seen through: the state at an entry is one number, made from all entries up to it.

import type { Entry } from '../../../src/raft/entry.ts';
import type { RaftEffect, RaftEvent, SnapshotPoint } from '../../../src/raft/events.ts';
import type { SnapshotPart } from '../../../src/raft/messages.ts';
import type { Disk } from './disk.ts';
import { payloadOf } from './fixtures.ts';

/** A durable checkpoint: what it contains, and the state there. */
export interface StoredCheckpoint {
  readonly point: SnapshotPoint;
  readonly sum: number;
}

/** The state machine: how far it is, and what all that came to. */
export interface Machine {
  readonly index: number;
  readonly sum: number;
}

type StorePart = Extract<RaftEffect, { type: 'storePart' }>;
type Answered = Extract<RaftEffect, { type: 'snapshotAnswered' }>;
type Install = Extract<RaftEffect, { type: 'installSnapshot' }>;

interface Outgoing {
  readonly transfer: number;
  readonly parts: readonly SnapshotPart[];
  /** The last piece that the other side is known to have; -1: none. */
  answered: number;
  next: number;
  answeredUs: number;
}

interface Incoming {
  readonly key: string;
  readonly pieces: Uint8Array[];
  complete: StoredCheckpoint | null;
}

/** Pieces of every transfer: enough for gaps, repetitions and a restart in the middle. */
const PIECES = 4;
const UNANSWERED_MAX = 2;

/** The state after one more entry. */
export function afterEntry(machine: Machine, entry: Entry): Machine {
  if (entry.index !== machine.index + 1) throw new Error('INV-9: an entry is skipped or repeated');
  const mixed = Math.imul(machine.sum ^ (entry.index * 31 + entry.term), 0x9e3779b1);
  return { index: entry.index, sum: (mixed ^ (mixed >>> 15)) >>> 0 };
}

/** The checkpoints of one node, those sent and those received. Returns events for its core. */
export class Checkpoints {
  /** From now on a complete checkpoint is found to be broken. */
  isRefusing = false;
  /** The log that a transfer needs afterwards is kept, however slow the receiver is. */
  isPinning = true;
  /** Pieces that are not stored yet, oldest first. */
  readonly toStore: StorePart[] = [];
  toInstall: Install | null = null;
  installs = 0;
  private readonly disk: Disk;
  private readonly outgoing = new Map<string, Outgoing>();
  private incoming: Incoming | null = null;

  constructor(disk: Disk) {
    this.disk = disk;
  }

  /** Does its part of an effect; most are none of its business. */
  carryOut(effect: RaftEffect, nowUs: number): void {
    switch (effect.type) {
      case 'sendSnapshot':
        this.begin(effect.to, effect.transfer, nowUs);
        break;
      case 'snapshotAnswered':
        this.onAnswer(effect, nowUs);
        break;
      case 'endSnapshot':
        if (this.outgoing.get(effect.to)?.transfer === effect.transfer) {
          this.outgoing.delete(effect.to);
        }
        break;
      case 'storePart':
        this.toStore.push(effect);
        break;
      case 'installSnapshot':
        this.toInstall = effect;
        break;
      case 'discardSnapshot':
        this.incoming = null;
        break;
      default:
    }
  }

  /** The next piece that may leave; null when all wait for answers. */
  nextPiece(): RaftEvent | null {
    for (const [to, out] of this.outgoing) {
      const part = out.parts[out.next];
      if (part === undefined || out.next > out.answered + UNANSWERED_MAX) continue;
      out.next++;
      return { type: 'snapshotPart', to, part };
    }
    return null;
  }

  /** Goes back where nothing was answered for so long. */
  repeatAfter(silenceUs: number, nowUs: number): void {
    for (const out of this.outgoing.values()) {
      if (nowUs - out.answeredUs < silenceUs) continue;
      out.next = out.answered + 1;
      out.answeredUs = nowUs;
    }
  }

  /** A transfer that goes on, for a host that gives up. */
  anyTransfer(): { to: string; transfer: number } | null {
    for (const [to, { transfer }] of this.outgoing) return { to, transfer };
    return null;
  }

  /** The log from here on is kept for those who are receiving. */
  oldestPinned(): number {
    if (!this.isPinning) return Infinity;
    const lasts = [...this.outgoing.values()].map(({ parts }) => parts[0]?.lastIndex ?? Infinity);
    return Math.min(Infinity, ...lasts);
  }

  /** Stores the oldest piece. Null when none waits, or when it is to be ignored. */
  storePart(): RaftEvent | null {
    const effect = this.toStore.shift();
    // A complete checkpoint waits for its install or its end; the sender repeats what comes now.
    if (effect === undefined || (this.incoming?.complete ?? null) !== null) return null;
    const { from, term, part } = effect;
    const key = `${term}/${from.storeId}/${part.transfer}`;
    if (this.incoming?.key !== key) this.incoming = { key, pieces: [], complete: null };
    const { pieces } = this.incoming;
    const isNews = part.sequence === pieces.length;
    if (isNews) pieces.push(part.content);
    const answer = { from: from.nodeId, term, transfer: part.transfer };
    const sequence = pieces.length - 1;
    if (!isNews || !part.isLast) {
      return { type: 'partStored', ...answer, status: 'stored', sequence, point: null };
    }
    if (this.isRefusing) {
      this.incoming = null;
      return { type: 'partStored', ...answer, status: 'refused', sequence, point: null };
    }
    const complete = joined(pieces);
    this.incoming.complete = complete;
    const { point } = complete;
    return { type: 'partStored', ...answer, status: 'complete', sequence, point };
  }

  /** A transfer of an earlier leader ends only now. Null while another checkpoint is complete. */
  completeLate(checkpoint: StoredCheckpoint): RaftEvent | null {
    if ((this.incoming?.complete ?? null) !== null) return null;
    this.incoming = { key: 'late', pieces: [], complete: checkpoint };
    const { point } = checkpoint;
    const answer = { from: 'n1', term: 0, transfer: 0, sequence: PIECES - 1 };
    return { type: 'partStored', ...answer, status: 'complete', point };
  }

  /** Puts the checkpoint in force on disk; the state that it brings. Null when none is to be. */
  install(): { readonly machine: Machine; readonly event: RaftEvent } | null {
    const effect = this.toInstall;
    if (effect === null) return null;
    const checkpoint = this.incoming?.complete ?? null;
    if (checkpoint === null) throw new Error('an install without a complete checkpoint');
    this.toInstall = null;
    this.incoming = null;
    this.installs++;
    this.disk.install(checkpoint, effect.keepsSuffix);
    const { point, sum } = checkpoint;
    const machine = { index: point.last.index, sum };
    return { machine, event: { type: 'snapshotInstalled', point } };
  }

  /** Power loss: what was received and is not in force is forgotten at the next start. */
  crash(): void {
    this.outgoing.clear();
    this.toStore.length = 0;
    this.toInstall = null;
    this.incoming = null;
  }

  private begin(to: string, transfer: number, nowUs: number): void {
    if (this.outgoing.has(to)) throw new Error('a transfer begins before the one before it ends');
    const { checkpoint } = this.disk;
    const { index: lastIndex, term: lastTerm } = checkpoint.point.last;
    const bytes = payloadOf(JSON.stringify(checkpoint));
    const size = Math.ceil(bytes.length / PIECES);
    const parts = Array.from({ length: PIECES }, (_, sequence) => ({
      transfer,
      sequence,
      lastIndex,
      lastTerm,
      isLast: sequence === PIECES - 1,
      content: bytes.slice(sequence * size, (sequence + 1) * size),
    }));
    this.outgoing.set(to, { transfer, parts, answered: -1, next: 0, answeredUs: nowUs });
  }

  private onAnswer(effect: Answered, nowUs: number): void {
    const out = this.outgoing.get(effect.to);
    if (out?.transfer !== effect.transfer) throw new Error('an answer to no transfer that goes on');
    if (effect.status !== 'stored') return;
    // Less than before: the receiver began anew.
    if (effect.sequence < out.answered) out.next = effect.sequence + 1;
    out.answered = effect.sequence;
    out.answeredUs = nowUs;
  }
}

function joined(pieces: readonly Uint8Array[]): StoredCheckpoint {
  const bytes = Uint8Array.from(pieces.flatMap((piece) => [...piece]));
  const checkpoint: StoredCheckpoint = JSON.parse(new TextDecoder().decode(bytes));
  return checkpoint;
}
