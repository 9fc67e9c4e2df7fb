import { probes } from '../base/probe.ts';
import type { NodeId, StoreId } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Random } from '../ports/random.ts';
import type { Link, Transport } from '../ports/transport.ts';
import type { ClusterConfig } from '../raft/config.ts';
import type { RaftMessage, Sender } from '../raft/messages.ts';
import type { PeerHello, PeerMessage } from '../wire/peer-messages.ts';
import { PEER_PROTOCOL } from '../wire/peer-messages.ts';
import { decodePeer, encodePeer } from '../wire/peer.ts';
import type { Boot, Identity } from './handshake.ts';
import { membersOf, refuseHello } from './handshake.ts';
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
  readonly onLink: (peer: NodeId, state: 'up' | 'down' | 'gone') => void;
}

/**
 * All connections with the other nodes. Each node dials every other and speaks on that
 * connection; it listens on those that were dialled to it. So "all connections with a peer" are
 * two, and both must be gone before a peer counts as gone (RAFT.md §6.1).
 */
export class Peers {
  private readonly options: PeersOptions;
  private readonly dialers = new Map<NodeId, PeerDialer>();
  private readonly acceptor: PeerAcceptor;
  private readonly refusals: RefusalLog;
  /** Newest boot seen of each directory; as many as there are members, and strangers refused. */
  private readonly boots = new Map<StoreId, Boot>();
  /** Peers whose last dial was refused: nobody listens at their address. */
  private readonly refusing = new Set<NodeId>();
  private config: ClusterConfig;
  private connectionEpoch = 0;

  constructor(options: PeersOptions) {
    this.options = options;
    this.config = options.config;
    this.refusals = new RefusalLog(options.ports.clock, options.ports.logger);
    this.acceptor = new PeerAcceptor({
      decode: (frame) => decodePeer(frame, options.seed),
      hello: () => this.hello(),
      encode: (message) => this.encode(message),
      accept: (hello, link) => this.accept(hello, link, null),
      onMessage: options.onMessage,
      onRefused: (peer, message) => this.logRefusal(peer, message),
      onClosed: (peer) => this.testGone(peer),
      logger: this.refusals,
    });
  }

  /** Dials the members of a configuration, and lets go of those that are none any more. */
  setConfig(config: ClusterConfig): void {
    this.config = config;
    const members = membersOf(config).filter(({ nodeId }) => nodeId !== this.options.self.nodeId);
    const wanted = new Map(members.map(({ nodeId, address }) => [nodeId, address]));
    for (const [nodeId, dialer] of this.dialers) {
      if (wanted.get(nodeId) === dialer.address) continue;
      dialer.stop('no longer a member at this address');
      this.dialers.delete(nodeId);
    }
    for (const [nodeId, address] of wanted) {
      if (!this.dialers.has(nodeId)) this.dial(nodeId, address);
    }
  }

  /** A node dialled us. */
  accepted(link: Link): void {
    this.acceptor.add(link);
  }

  send(to: NodeId, message: RaftMessage): void {
    this.dialers.get(to)?.send(message);
  }

  isConnected(peer: NodeId): boolean {
    return this.dialers.get(peer)?.isConnected === true;
  }

  stop(reason: string): void {
    for (const dialer of this.dialers.values()) dialer.stop(reason);
    this.acceptor.stop(reason);
  }

  private dial(peer: NodeId, address: string): void {
    const { ports, onLink, seed } = this.options;
    const dialer = new PeerDialer({
      peer,
      address,
      ports,
      hello: () => this.hello(),
      encode: (message) => this.encode(message),
      decode: (frame) => decodePeer(frame, seed),
      accept: (hello, link) => this.accept(hello, link, peer),
      onRefused: (nodeId, message) => this.logRefusal(nodeId, message),
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

  private accept(hello: PeerHello, link: Link, expected: NodeId | null): boolean {
    const { self, clusterId, onLink } = this.options;
    const knownBoot = this.boots.get(hello.storeId) ?? null;
    const context = { self, clusterId, config: this.config, expected, knownBoot };
    const problem = refuseHello(hello, context);
    if (problem !== null) {
      const fields = { peer: hello.nodeId, remote: link.remote, code: problem.code };
      this.refusals.error(`Refused a link: ${problem.message}`, fields);
      link.send(this.encode(problem));
      return false;
    }
    // A member whose founding is not finished: it will take part as soon as it is founded.
    if (hello.clusterId === null) return false;
    if (knownBoot !== null && hello.bootCount > knownBoot.bootCount) {
      probes.reach('boot-superseded');
      this.acceptor.drop(hello.nodeId, 'superseded by a newer boot');
      onLink(hello.nodeId, 'gone');
    }
    if (this.boots.has(hello.storeId) || this.isMember(hello)) {
      this.boots.set(hello.storeId, { bootId: hello.bootId, bootCount: hello.bootCount });
    }
    return true;
  }

  private isMember(hello: PeerHello): boolean {
    return membersOf(this.config).some(({ storeId }) => storeId === hello.storeId);
  }

  private hello(): PeerHello {
    const { self, clusterId } = this.options;
    this.connectionEpoch += 1;
    return {
      type: 'peerHello',
      versionMin: PEER_PROTOCOL.min,
      versionMax: PEER_PROTOCOL.max,
      clusterId,
      nodeId: self.nodeId,
      storeId: self.storeId,
      bootId: self.bootId,
      bootCount: self.bootCount,
      connectionEpoch: this.connectionEpoch,
      heartbeatMs: self.heartbeatMs,
      electionMs: self.electionMs,
    };
  }

  private encode(message: PeerMessage): Uint8Array {
    return encodePeer(message, this.options.seed);
  }

  private logRefusal(peer: NodeId, message: string): void {
    this.refusals.error(`${peer} refuses our link: ${message}`, { peer });
  }
}
