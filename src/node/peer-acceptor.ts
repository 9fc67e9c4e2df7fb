import { probes } from '../base/probe.ts';
import type { NodeId } from '../base/units.ts';
import type { Logger } from '../ports/logger.ts';
import type { Link } from '../ports/transport.ts';
import type { RaftMessage, Sender } from '../raft/messages.ts';
import type {
  PeerHello,
  PeerMessage,
  PeerRefusal,
  StateHashMessage,
} from '../wire/peer-messages.ts';

export interface PeerAcceptorOptions {
  readonly decode: (frame: Uint8Array) => PeerMessage;
  readonly encode: (message: PeerMessage) => Uint8Array;
  readonly hello: () => PeerHello;
  /** Tests a peer's hello; false when it was refused, and said so. */
  readonly accept: (hello: PeerHello, link: Link) => boolean;
  readonly onMessage: (from: Sender, message: RaftMessage) => void;
  readonly onStateHash: (from: Sender, message: StateHashMessage) => void;
  /** `peer` is the far end's address before its hello. */
  readonly onRefused: (peer: NodeId, refusal: PeerRefusal) => void;
  /** The connection of this peer is gone, and no newer one took its place. */
  readonly onClosed: (peer: NodeId) => void;
  readonly logger: Pick<Logger, 'warn'>;
}

interface Accepted {
  readonly link: Link;
  sender: Sender | null;
  connectionEpoch: number;
}

/**
 * Links that said nothing yet; well below what the transport lets through the door. The oldest
 * makes room for the next: strangers cannot lock out peers, who say hello once they are connected.
 */
const SILENT_LINKS_MAX = 16;
/** Of answers that a peer does not read. */
const BUFFERED_BYTES_MAX = 1024 * 1024;

/**
 * The connections that other nodes dialled to us. Nothing is stepped before the hello was
 * checked; garbage ends its connection and nothing else. A newer connection of a peer supersedes
 * the older one at once, whose frames are dropped (RAFT.md §4).
 */
export class PeerAcceptor {
  private readonly options: PeerAcceptorOptions;
  private readonly current = new Map<NodeId, Accepted>();
  private readonly silent = new Set<Accepted>();

  constructor(options: PeerAcceptorOptions) {
    this.options = options;
  }

  add(link: Link): void {
    const [oldest] = this.silent;
    if (oldest !== undefined && this.silent.size >= SILENT_LINKS_MAX) {
      this.end(oldest, 'too many links without hello');
    }
    const accepted: Accepted = { link, sender: null, connectionEpoch: 0 };
    this.silent.add(accepted);
    link.onFrame = (frame) => this.onFrame(accepted, frame);
    link.onClose = () => this.closed(accepted);
  }

  isConnected(peer: NodeId): boolean {
    return this.current.has(peer);
  }

  /** The far ends of all connections whose hello was accepted. */
  senders(): readonly Sender[] {
    return [...this.current.values()].flatMap(({ sender }) => (sender === null ? [] : [sender]));
  }

  /** Answers a peer on the connection that it dialled, if there is one; it may get lost. */
  answer(peer: NodeId, message: RaftMessage): void {
    const accepted = this.current.get(peer);
    if (accepted === undefined) return;
    accepted.link.send(this.options.encode(message));
    if (accepted.link.bufferedBytes > BUFFERED_BYTES_MAX) this.end(accepted, 'it reads too slowly');
  }

  /** Ends the connection of a peer with a last word. */
  refuse(peer: NodeId, refusal: PeerRefusal): void {
    this.current.get(peer)?.link.send(this.options.encode(refusal));
    this.drop(peer, refusal.message);
  }

  /** Ends the connection of a peer, if there is one. */
  drop(peer: NodeId, reason: string): void {
    const accepted = this.current.get(peer);
    this.current.delete(peer);
    accepted?.link.close(reason);
  }

  stop(reason: string): void {
    for (const { link } of [...this.silent, ...this.current.values()]) link.close(reason);
    this.silent.clear();
    this.current.clear();
  }

  private onFrame(accepted: Accepted, frame: Uint8Array): void {
    let message: PeerMessage;
    try {
      message = this.options.decode(frame);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'garbage';
      this.options.logger.warn(`A peer link sent garbage: ${reason}`, {
        remote: accepted.link.remote,
      });
      this.end(accepted, 'garbage');
      return;
    }
    const { sender } = accepted;
    if (message.type === 'peerHello') {
      if (sender === null) this.greet(accepted, message);
      else this.end(accepted, 'a second hello');
    } else if (message.type === 'peerRefusal') {
      this.options.onRefused(sender?.nodeId ?? accepted.link.remote, message);
      this.end(accepted, 'refused by the peer');
    } else if (sender === null) {
      this.end(accepted, 'no hello');
    } else if (this.current.get(sender.nodeId) === accepted) {
      if (message.type === 'stateHash') this.options.onStateHash(sender, message);
      else this.options.onMessage(sender, message);
    }
  }

  private greet(accepted: Accepted, hello: PeerHello): void {
    const { link } = accepted;
    if (!this.options.accept(hello, link)) return this.end(accepted, 'hello refused');
    const older = this.current.get(hello.nodeId);
    if (older !== undefined && older.sender?.bootCount === hello.bootCount) {
      if (older.connectionEpoch > hello.connectionEpoch) return this.end(accepted, 'superseded');
    }
    probes.sometimes('connection-superseded', older !== undefined);
    older?.link.close('superseded by a newer connection');
    this.silent.delete(accepted);
    accepted.sender = {
      nodeId: hello.nodeId,
      storeId: hello.storeId,
      bootCount: hello.bootCount,
    };
    accepted.connectionEpoch = hello.connectionEpoch;
    this.current.set(hello.nodeId, accepted);
    link.send(this.options.encode(this.options.hello()));
  }

  private end(accepted: Accepted, reason: string): void {
    accepted.link.close(reason);
    this.closed(accepted);
  }

  private closed(accepted: Accepted): void {
    this.silent.delete(accepted);
    const peer = accepted.sender?.nodeId;
    if (peer === undefined || this.current.get(peer) !== accepted) return;
    this.current.delete(peer);
    this.options.onClosed(peer);
  }
}
