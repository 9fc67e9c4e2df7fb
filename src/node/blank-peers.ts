import type { Link } from '../ports/transport.ts';
import type { RaftMessage, Sender } from '../raft/messages.ts';
import type { PeerHello, PeerMessage } from '../wire/peer-messages.ts';
import { decodePeer, encodePeer } from '../wire/peer.ts';
import { clusterSeed } from '../wire/record.ts';
import type { Identity } from './handshake.ts';
import { helloOf } from './handshake.ts';
import type { RefusalLog } from './refusal-log.ts';

/** Links at a time; the oldest makes room, for whoever is shut out dials again. */
const LINKS_MAX = 32;

/** A message of consensus that reached a blank node, and the way to answer it. */
export interface BlankVisit {
  readonly from: Sender;
  readonly message: RaftMessage;
  /** Of the cluster that the other end belongs to. */
  readonly clusterId: string;
  readonly answer: (message: RaftMessage) => void;
}

/** Who the node is, and who hears what is said at its door. */
export interface BlankDoorOptions {
  readonly self: Identity;
  readonly log: RefusalLog;
  readonly onVisit: (visit: BlankVisit) => void;
}

interface Greeted {
  readonly from: Sender;
  readonly clusterId: string;
  readonly seed: number;
}

/**
 * The peer door of a node that belongs to no cluster. It answers a hello with its own, so that
 * the others learn its directory, and hears what a leader sends to a new member; it answers on
 * the link that it was dialled on, for it knows of no other (RAFT.md §15.6). Who knows it with
 * another directory says so before the link ends.
 */
export class BlankDoor {
  private readonly options: BlankDoorOptions;
  private readonly links = new Set<Link>();

  constructor(options: BlankDoorOptions) {
    this.options = options;
  }

  accepted(link: Link): void {
    const [oldest] = this.links;
    if (oldest !== undefined && this.links.size >= LINKS_MAX) this.end(oldest, 'too many links');
    this.links.add(link);
    let greeted: Greeted | null = null;
    link.onClose = () => void this.links.delete(link);
    link.onFrame = (frame) => {
      try {
        const message = decodePeer(frame, greeted?.seed ?? 0);
        if (message.type === 'peerHello') greeted = this.greet(link, message);
        else this.hear(link, greeted, message);
      } catch (error) {
        this.end(link, error instanceof Error ? error.message : 'garbage');
      }
    };
  }

  /** The node is blank no more: whoever is connected dials again and finds a member. */
  close(reason: string): void {
    for (const link of [...this.links]) this.end(link, reason);
  }

  private greet(link: Link, hello: PeerHello): Greeted | null {
    const { self } = this.options;
    link.send(encodePeer(helloOf(self, { clusterId: null, connectionEpoch: 1 }), 0));
    const { nodeId, storeId, bootCount, clusterId } = hello;
    // Two blank nodes have nothing to tell each other.
    if (clusterId === null) return null;
    return { from: { nodeId, storeId, bootCount }, clusterId, seed: clusterSeed(clusterId) };
  }

  private hear(link: Link, greeted: Greeted | null, message: PeerMessage): void {
    if (message.type === 'stateHash') return;
    if (message.type === 'peerRefusal' || message.type === 'peerHello' || greeted === null) {
      if (message.type === 'peerRefusal') {
        this.options.log.error(`The cluster refuses this directory: ${message.message}`);
      }
      return this.end(link, 'this node is not founded');
    }
    const { from, clusterId, seed } = greeted;
    const answer = (said: RaftMessage): void => void link.send(encodePeer(said, seed));
    this.options.onVisit({ from, message, clusterId, answer });
  }

  private end(link: Link, reason: string): void {
    this.links.delete(link);
    link.close(reason);
  }
}
