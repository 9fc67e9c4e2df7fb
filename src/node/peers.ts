import { probes } from '../base/probe.ts';
import type { Index, NodeId, StoreId } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Random } from '../ports/random.ts';
import type { Link, Transport } from '../ports/transport.ts';
import type { ClusterConfig, Member } from '../raft/config.ts';
import type { RaftMessage, Sender } from '../raft/messages.ts';
import type {
  PeerHello,
  PeerMessage,
  PeerRefusal,
  StateHashMessage,
} from '../wire/peer-messages.ts';
import { PeerEncoder } from '../wire/peer-encoder.ts';
import { decodePeer } from '../wire/peer.ts';
import type { Boot, CommittedConfig, Identity } from './handshake.ts';
import { helloOf, membersOf, refuseHello, removedRefusal } from './handshake.ts';
import { PeerAcceptor } from './peer-acceptor.ts';
import { PeerDialer } from './peer-dialer.ts';
import { RefusalLog } from './refusal-log.ts';

export interface PeersOptions {
  readonly self: Identity;
  readonly clusterId: string;
  /** Checksum seed of the cluster: an entry of another one does not decode. */
  readonly seed: number;
  readonly config: ClusterConfig;
  readonly ports: {
    readonly clock: Clock;
    readonly random: Random;
    readonly transport: Transport;
    readonly logger: Logger;
  };
  readonly onMessage: (from: Sender, message: RaftMessage) => void;
  readonly onStateHash: (from: Sender, message: StateHashMessage) => void;
  readonly onLink: (peer: NodeId, state: 'up' | 'down' | 'gone') => void;
  /** A member says that its committed configuration, of this index, lacks us. */
  readonly onRemoved: (from: Sender, configIndex: Index) => void;
}

/** Whom to keep connections with: as the core tells it with `configChanged`. */
export interface Membership {
  readonly config: ClusterConfig;
  readonly index: Index;
  readonly isCommitted: boolean;
  /** The one before, while this one is not committed. */
  readonly previous: ClusterConfig | null;
}

/**
 * All connections with the other nodes. Each node dials every other and speaks on that connection;
 * it listens on those that were dialled to it, and answers there whom it cannot dial. So "all
 * connections with a peer" are two, and both must be gone before a peer counts as gone (RAFT.md
 * §6.1).
 */
export class Peers {
  private readonly options: PeersOptions;
  private readonly dialers = new Map<NodeId, PeerDialer>();
  private readonly acceptor: PeerAcceptor;
  private readonly refusals: RefusalLog;
  private readonly encoder: PeerEncoder;
  /** Newest boot seen of each directory; as many as there are members, and strangers refused. */
  private readonly boots = new Map<StoreId, Boot>();
  /** What the members announced with their last hello. As many as `boots`. */
  private readonly commandSets = new Map<StoreId, number>();
  /** Peers whose last dial was refused: nobody listens at their address. */
  private readonly refusing = new Set<NodeId>();
  private config: ClusterConfig;
  private committed: CommittedConfig | null = null;
  private connectionEpoch = 0;
  private farewell: Timer | null = null;

  constructor(options: PeersOptions) {
    this.options = options;
    this.config = options.config;
    this.encoder = new PeerEncoder(options.seed);
    this.refusals = new RefusalLog(options.ports.clock, options.ports.logger);
    this.acceptor = new PeerAcceptor({
      decode: (frame) => decodePeer(frame, options.seed),
      hello: () => this.hello(),
      encode: (message) => this.encode(message),
      accept: (hello, link) => this.accept(hello, link, null),
      onMessage: options.onMessage,
      onStateHash: options.onStateHash,
      onRefused: (peer, refusal) => this.onRefused(peer, refusal),
      onClosed: (peer) => this.testGone(peer),
      logger: this.refusals,
    });
  }

  /**
   * Dials who takes part, and lets go of those that do not any more. Until a configuration is
   * committed, the members of the one before are needed too: they may be the quorum that decides,
   * and a leader that leaves still has to be answered.
   */
  setConfig({ config, index, isCommitted, previous }: Membership): void {
    this.config = config;
    if (isCommitted) this.committed = { index, config };
    const members = [...(previous === null ? [] : membersOf(previous)), ...membersOf(config)];
    const others = members.filter(({ nodeId }) => nodeId !== this.options.self.nodeId);
    const wanted = new Map(others.map(({ nodeId, address }) => [nodeId, address]));
    for (const [nodeId, dialer] of this.dialers) {
      if (wanted.get(nodeId) === dialer.address) continue;
      dialer.stop('no longer a member at this address');
      this.dialers.delete(nodeId);
      this.refusing.delete(nodeId);
    }
    for (const [nodeId, address] of wanted) {
      if (!this.dialers.has(nodeId)) this.dial(nodeId, address);
    }
    if (isCommitted) this.sendAwayLater();
  }

  /** A node dialled us. */
  accepted(link: Link): void {
    this.acceptor.add(link);
  }

  /**
   * A node that is not in our configuration is answered on its own link. It may lead all the same:
   * our log may end before the entry that added it (RAFT.md §10).
   */
  send(to: NodeId, message: RaftMessage): void {
    const dialer = this.dialers.get(to);
    probes.sometimes('answer-to-unknown-member', dialer === undefined);
    if (dialer === undefined) this.acceptor.answer(to, message);
    else dialer.send(message);
  }

  /** To everybody that is connected. */
  broadcast(message: StateHashMessage): void {
    for (const dialer of this.dialers.values()) dialer.send(message);
  }

  isConnected(peer: NodeId): boolean {
    return this.dialers.get(peer)?.isConnected === true;
  }

  /** Newest set of commands that this member announced since we run; 1 until it did. */
  commandSetOf({ storeId }: Pick<Member, 'storeId'>): number {
    return this.commandSets.get(storeId) ?? 1;
  }

  stop(reason: string): void {
    this.farewell?.cancel();
    for (const dialer of this.dialers.values()) dialer.stop(reason);
    this.acceptor.stop(reason);
  }

  private dial(peer: NodeId, address: string): void {
    const { ports, onLink, onMessage, seed } = this.options;
    const dialer = new PeerDialer({
      peer,
      address,
      ports,
      hello: () => this.hello(),
      encode: (message) => this.encode(message),
      decode: (frame) => decodePeer(frame, seed),
      accept: (hello, link) => this.accept(hello, link, peer),
      onRefused: (nodeId, refusal) => this.onRefused(nodeId, refusal),
      onMessage,
      onUp: () => {
        this.refusing.delete(peer);
        onLink(peer, 'up');
      },
      onDown: () => onLink(peer, 'down'),
      onDialFailed: (failure) => {
        if (failure === 'refused') this.refusing.add(peer);
        else this.refusing.delete(peer);
        this.testGone(peer);
      },
    });
    this.dialers.set(peer, dialer);
    dialer.start();
  }

  /** Fast fail-over (RAFT.md §6.1): no connection in either direction, and the door is shut. */
  private testGone(peer: NodeId): void {
    const isGone =
      this.refusing.has(peer) && !this.isConnected(peer) && !this.acceptor.isConnected(peer);
    if (isGone) this.options.onLink(peer, 'gone');
  }

  /**
   * Whoever left by the configuration that is now committed is told so, and hung up on; but only
   * after an election time-out. A leader that leaves tells us first that it is committed, and right
   * after that who shall lead next: hung up on at the first word, its second is lost, and everybody
   * waits for its silence (RAFT.md §10.4).
   */
  private sendAwayLater(): void {
    const { ports, self } = this.options;
    this.farewell?.cancel();
    this.farewell = ports.clock.after(self.electionMs * US_PER_MS, () => this.sendAway());
  }

  private sendAway(): void {
    const { committed } = this;
    if (committed === null) return;
    for (const { nodeId } of this.acceptor.senders()) {
      const refusal = removedRefusal(nodeId, committed);
      if (refusal !== null) this.acceptor.refuse(nodeId, refusal);
    }
  }

  private accept(hello: PeerHello, link: Link, expected: NodeId | null): boolean {
    const { self, clusterId, onLink } = this.options;
    const { config, committed } = this;
    const knownBoot = this.boots.get(hello.storeId) ?? null;
    const problem = refuseHello(hello, { self, clusterId, config, committed, expected, knownBoot });
    if (problem !== null) {
      const fields = { peer: hello.nodeId, remote: link.remote, code: problem.code };
      this.refusals.error(`Refused a link: ${problem.message}`, fields);
      link.send(this.encode(problem));
      return false;
    }
    // A blank node has nothing to say to us; but a member that is blank hears us on our own link.
    if (hello.clusterId === null && (expected === null || !this.isMember(hello))) return false;
    if (knownBoot !== null && hello.bootCount > knownBoot.bootCount) {
      probes.reach('boot-superseded');
      this.acceptor.drop(hello.nodeId, 'superseded by a newer boot');
      onLink(hello.nodeId, 'gone');
    }
    if (this.boots.has(hello.storeId) || this.isMember(hello)) this.remember(hello);
    if (expected === null) this.dialers.get(hello.nodeId)?.heard();
    return true;
  }

  private remember({ storeId, bootId, bootCount, commandSet }: PeerHello): void {
    this.boots.set(storeId, { bootId, bootCount });
    this.commandSets.set(storeId, commandSet);
  }

  private isMember(hello: PeerHello): boolean {
    return membersOf(this.config).some(({ storeId }) => storeId === hello.storeId);
  }

  private hello(): PeerHello {
    const { self, clusterId } = this.options;
    this.connectionEpoch += 1;
    return helloOf(self, { clusterId, connectionEpoch: this.connectionEpoch });
  }

  private encode(message: PeerMessage): Uint8Array {
    return this.encoder.encode(message);
  }

  private onRefused(peer: NodeId, refusal: PeerRefusal): void {
    const { code, message, configIndex } = refusal;
    this.refusals.error(`${peer} refuses our link: ${code}: ${message}`, { peer });
    if (code !== 'REMOVED') return;
    const member = membersOf(this.config).find(({ nodeId }) => nodeId === peer);
    if (member === undefined) return;
    const bootCount = this.boots.get(member.storeId)?.bootCount ?? 0;
    this.options.onRemoved({ nodeId: peer, storeId: member.storeId, bootCount }, configIndex);
  }
}
