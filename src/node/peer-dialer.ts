import { probes } from '../base/probe.ts';
import type { MonoUs, NodeId } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { DialFailure, Link, Transport } from '../ports/transport.ts';
import type { RaftMessage, Sender } from '../raft/messages.ts';
import type { PeerHello, PeerMessage, PeerRefusal } from '../wire/peer-messages.ts';

/** Waits between two dials: short, for a peer that comes back should be heard at once. */
const REDIAL_MS_MIN = 20;
const REDIAL_MS_MAX = 250;
/**
 * Who has not answered for long is dialled more rarely: it may have left for good, and be told of
 * to nobody here. The pause is a small share of the silence, so that a peer which we alone can dial
 * is still found soon after it is back.
 */
const SILENCE_SHARE = 1 / 60;
const SILENT_REDIAL_MS_MAX = 5_000;
/** A link that lived for less is no success: the next dial waits. */
const STEADY_MS = 1_000;
/** A peer that reads nothing: the link is ended, and the log sent again after it is back. */
const BUFFERED_BYTES_MAX = 32 * 1024 * 1024;
/** A dialled peer must have said hello after this time. */
const HELLO_MS_MAX = 2_000;

export interface PeerDialerOptions {
  readonly peer: NodeId;
  readonly address: string;
  readonly ports: {
    readonly clock: Clock;
    readonly random: Random;
    readonly transport: Transport;
  };
  readonly hello: () => PeerHello;
  readonly encode: (message: PeerMessage) => Uint8Array;
  readonly decode: (frame: Uint8Array) => PeerMessage;
  /** Tests the peer's hello; false when it was refused, and said so. */
  readonly accept: (hello: PeerHello, link: Link) => boolean;
  readonly onRefused: (peer: NodeId, refusal: PeerRefusal) => void;
  /** What a peer answers on our own link, for it does not know yet whom to dial. */
  readonly onMessage: (from: Sender, message: RaftMessage) => void;
  readonly onUp: () => void;
  readonly onDown: () => void;
  /** A dial failed: `refused` means that nobody listens there. */
  readonly onDialFailed: (failure: DialFailure) => void;
}

/**
 * Our own connection to one peer, dialled again whenever it is gone. It carries what we say; what
 * the peer says comes on the connection that it dialled. Only hello and refusal come back on ours,
 * and the answers of a peer that does not know us as a member: it is blank, or its log ends before
 * the entry that added us. Could it not answer, it would never learn of that entry.
 */
export class PeerDialer {
  private readonly options: PeerDialerOptions;
  private link: Link | null = null;
  private isUp = false;
  /** The peer at the other end, once it said hello. */
  private far: Sender | null = null;
  private isOver = false;
  private upSinceUs: MonoUs = 0;
  /** Dials without success since the last one with it. */
  private failures = 0;
  /** When the peer was last there, as far as we know. */
  private heardUs: MonoUs;
  private timer: Timer | null = null;
  private dialling: { cancel(): void } | null = null;

  constructor(options: PeerDialerOptions) {
    this.options = options;
    this.heardUs = options.ports.clock.monoUs();
  }

  get isConnected(): boolean {
    return this.isUp;
  }

  get address(): string {
    return this.options.address;
  }

  start(): void {
    const { transport } = this.options.ports;
    if (this.isOver) return;
    this.dialling = transport.dial(this.options.address, 'peer', (result) => this.onDial(result));
  }

  /** The peer is there, for it dialled us: after a long silence it is dialled at once. */
  heard(): void {
    const { clock } = this.options.ports;
    const isPatient = this.silentPauseMs() > REDIAL_MS_MAX;
    this.heardUs = clock.monoUs();
    if (!isPatient || this.isUp || this.link !== null || this.timer === null) return;
    probes.reach('peer-heard-after-long-silence');
    this.timer.cancel();
    this.timer = null;
    this.failures = 0;
    this.start();
  }

  stop(reason: string): void {
    this.isOver = true;
    this.timer?.cancel();
    this.dialling?.cancel();
    this.link?.close(reason);
    this.link = null;
    this.isUp = false;
  }

  /** Lost without a connection: consensus sends again later by itself. */
  send(message: PeerMessage): void {
    const { link } = this;
    if (link === null || !this.isUp) return;
    link.send(this.options.encode(message));
    if (link.bufferedBytes > BUFFERED_BYTES_MAX) this.end(link, 'the peer reads too slowly');
  }

  private onDial(result: Link | DialFailure): void {
    this.dialling = null;
    if (this.isOver) {
      if (typeof result === 'object') result.close('stopping');
      return;
    }
    if (typeof result !== 'object') {
      this.options.onDialFailed(result);
      this.redial();
      return;
    }
    this.link = result;
    result.onFrame = (frame) => this.onFrame(result, frame);
    result.onClose = () => this.lost(result);
    result.send(this.options.encode(this.options.hello()));
    this.timer = this.options.ports.clock.after(HELLO_MS_MAX * US_PER_MS, () => {
      this.timer = null;
      if (!this.isUp) this.end(result, 'no hello in time');
    });
  }

  private onFrame(link: Link, frame: Uint8Array): void {
    if (link !== this.link) return;
    let message: PeerMessage;
    try {
      message = this.options.decode(frame);
    } catch (error) {
      this.end(link, error instanceof Error ? error.message : 'garbage');
      return;
    }
    if (message.type === 'peerRefusal') {
      this.options.onRefused(this.options.peer, message);
      this.end(link, 'refused by the peer');
    } else if (this.isUp && this.far !== null && isAnswer(message)) {
      this.options.onMessage(this.far, message);
    } else if (message.type !== 'peerHello' || this.isUp) {
      this.end(link, `unexpected ${message.type}`);
    } else if (this.options.accept(message, link)) {
      this.becomeUp(message);
    } else {
      this.end(link, 'hello refused');
    }
  }

  private becomeUp(hello: PeerHello): void {
    const { nodeId, storeId, bootCount } = hello;
    this.far = { nodeId, storeId, bootCount };
    probes.sometimes('blank-member-at-the-door', hello.clusterId === null);
    this.timer?.cancel();
    this.timer = null;
    this.upSinceUs = this.options.ports.clock.monoUs();
    this.isUp = true;
    this.options.onUp();
  }

  private end(link: Link, reason: string): void {
    link.close(reason);
    this.lost(link);
  }

  // After a steady link dials at once, for a refusal tells that the peer is gone (RAFT.md §6.1).
  private lost(link: Link): void {
    if (link !== this.link) return;
    this.link = null;
    this.timer?.cancel();
    const wasUp = this.isUp;
    const upUs = this.options.ports.clock.monoUs() - this.upSinceUs;
    this.isUp = false;
    this.far = null;
    if (wasUp) {
      this.heardUs = this.options.ports.clock.monoUs();
      this.options.onDown();
    }
    if (!wasUp || upUs < STEADY_MS * US_PER_MS) return this.redial();
    this.failures = 0;
    this.start();
  }

  private redial(): void {
    if (this.isOver) return;
    const { clock, random } = this.options.ports;
    const growingMs = Math.min(REDIAL_MS_MAX, REDIAL_MS_MIN * 2 ** Math.min(this.failures, 8));
    const capMs = Math.max(growingMs, this.silentPauseMs());
    this.failures += 1;
    const waitMs = capMs / 2 + (random.u32() % 1_000) * (capMs / 2_000);
    this.timer = clock.after(Math.ceil(waitMs * US_PER_MS), () => {
      this.timer = null;
      this.start();
    });
  }

  private silentPauseMs(): number {
    const silentMs = (this.options.ports.clock.monoUs() - this.heardUs) / US_PER_MS;
    return Math.min(SILENT_REDIAL_MS_MAX, silentMs * SILENCE_SHARE);
  }
}

const ANSWERS: ReadonlySet<PeerMessage['type']> = new Set([
  'preVoteResponse',
  'voteResponse',
  'appendResponse',
  'heartbeatResponse',
  'snapshotResponse',
] as const);

function isAnswer(message: PeerMessage): message is RaftMessage {
  return ANSWERS.has(message.type);
}
