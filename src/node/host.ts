import { present } from '../base/assert.ts';
import type { SessionId } from '../base/units.ts';
import type { Door, Link } from '../ports/transport.ts';
import type { NodeStatus, Query } from '../wire/client-messages.ts';
import { encodePayload } from '../wire/command.ts';
import { refuseRequest } from './admission.ts';
import { BlankDoor } from './blank-peers.ts';
import type { SelfView } from './client-link.ts';
import { ClientDoor } from './client-door.ts';
import { DiskWatch } from './disk-watch.ts';
import { Founding, randomHex128 } from './founding.ts';
import { COMMAND_SET } from './command-sets.ts';
import type { Identity } from './handshake.ts';
import { STOPPED_EARLY, listenExit } from './host-exits.ts';
import type {
  Host,
  HostAnswer,
  HostExit,
  HostPorts,
  HostReply,
  HostSettings,
} from './host-types.ts';
import { Latch } from './latch.ts';
import { refusal } from './proposals.ts';
import { refuseQuery } from './queries.ts';
import { RefusalLog } from './refusal-log.ts';
import { Replica } from './replica.ts';
import { NO_LEADER, blankStatus, replicaStatus } from './status.ts';
import type { Recovered } from './storage/types.ts';
import { createNodeStorage } from './storage/storage.ts';
import type { NodeStorage } from './storage/types.ts';

/** Bytes of the log kept in memory for followers that lag a little. */
const TAIL_BYTES_MAX = 8 * 1024 * 1024;

type Phase = 'new' | 'starting' | 'running' | 'stopping' | 'stopped';

/** A node of the cluster, driven by its ports alone; see Host for the contract. */
export function createHost(settings: HostSettings, ports: HostPorts): Host {
  return new NodeHost(settings, ports);
}

class NodeHost implements Host {
  onExit: (exit: HostExit) => void = () => {};
  private readonly settings: HostSettings;
  private readonly ports: HostPorts;
  private readonly storage: NodeStorage;
  private readonly door: ClientDoor;
  private readonly refusals: RefusalLog;
  private readonly closed: Latch;
  private readonly leaderListeners = new Set<() => void>();
  private phase: Phase = 'new';
  private self: Identity | null = null;
  private founder: Founding | null = null;
  private replica: Replica | null = null;
  private diskWatch: DiskWatch | null = null;
  private blankDoor: BlankDoor | null = null;

  constructor(settings: HostSettings, ports: HostPorts) {
    this.settings = settings;
    this.ports = ports;
    this.refusals = new RefusalLog(ports.clock, ports.logger);
    this.closed = new Latch(ports.clock);
    this.storage = createNodeStorage({
      keyValue: ports.keyValue,
      slots: ports.slots,
      nodeId: settings.nodeId,
      clusterName: settings.clusterName,
      random: ports.random,
      logger: ports.logger,
      tailBytesMax: TAIL_BYTES_MAX,
      // The exit follows with the answer of the call that failed (RAFT.md §15.4).
      onFailure: () => this.replica?.engine.silence(),
    });
    this.door = new ClientDoor({
      host: this,
      clock: ports.clock,
      self: () => this.selfView(),
      limits: { commandsMax: settings.linkCommandsMax, bytesMax: settings.linkBytesMax },
    });
  }

  start(done: (exit: HostExit | null) => void): void {
    this.phase = 'starting';
    this.storage.open((result) => {
      if (this.phase !== 'starting') return done(STOPPED_EARLY);
      // The store may be open: an embedding process must be able to try again.
      if (!result.ok) return this.refuseStart(result.exit, done);
      this.identify(result.value);
      if (result.value.raft !== null) this.createReplica(result.value);
      this.listen(done);
    });
  }

  stop(done: () => void): void {
    this.closed.wait(done);
    if (this.phase === 'stopping' || this.phase === 'stopped') return;
    this.phase = 'stopping';
    this.replica?.stepDown();
    this.door.close('UNAVAILABLE', 'the node is stopping');
    // One more turn, so that the goodbye and the last answers reach the sockets.
    this.ports.clock.soon(() => this.raiseLastFloor(() => this.closeAll()));
  }

  status(): NodeStatus {
    const { settings, self, replica } = this;
    if (replica !== null) return replicaStatus(settings, replica, this.phase === 'stopped');
    if (this.phase === 'stopped') return blankStatus(settings, self, 'stopped');
    return blankStatus(settings, self, this.phase === 'running' ? 'blank' : 'starting');
  }

  onLeaderChange(listener: () => void): () => void {
    this.leaderListeners.add(listener);
    return () => this.leaderListeners.delete(listener);
  }

  execute(
    request: { readonly body: Uint8Array; readonly ackedBelow: number },
    done: (reply: HostReply) => void,
  ): void {
    const { replica } = this;
    if (replica === null) {
      return this.ports.clock.soon(() => done(refusal('NOT_FOUNDED', this.notFoundedText())));
    }
    const refused = refuseRequest(request.body, {
      isLeading: replica.isLeading && this.phase === 'running',
      isBelowReserve: this.diskWatch?.isBelowReserve === true,
    });
    if (refused !== null) return this.ports.clock.soon(() => done(refused));
    const stamp = { ackedBelow: request.ackedBelow, stampMs: this.ports.clock.wallMs() };
    replica.proposals.submit(encodePayload(request.body, stamp), done);
  }

  keepAlive: Host['keepAlive'] = (session, done) => {
    const { replica } = this;
    if (replica?.isLeading !== true) {
      const result = { session, nonce: 0, code: 'NOT_LEADER' as const, ttlMs: null };
      return this.ports.clock.soon(() => done(result));
    }
    replica.office.leases.keepAlive(session, (code, ttlMs) =>
      done({ session, nonce: 0, code, ttlMs }),
    );
  };

  query(query: Query, done: (answer: HostAnswer) => void): void {
    const { replica } = this;
    if (query.kind === 'status') {
      const answer = { revision: 0, result: { kind: 'status' as const, status: this.status() } };
      return this.ports.clock.soon(() => done(answer));
    }
    if (replica === null) {
      return this.ports.clock.soon(() => done(refuseQuery('NOT_FOUNDED', this.notFoundedText())));
    }
    replica.ask(query, () => this.status(), done);
  }

  founding: Host['founding'] = (step, done) => {
    const { founder } = this;
    if (founder === null) {
      const answer = refuseQuery('UNAVAILABLE', 'the node is still starting');
      return this.ports.clock.soon(() => done(answer));
    }
    this.ports.clock.soon(() => founder.handle(step, (result) => done({ revision: 0, result })));
  };

  withdraw(session: SessionId, acquireSeq: number): void {
    this.replica?.withdraw(session, acquireSeq);
  }

  holdOpen(session: SessionId): () => void {
    return this.replica?.office.leases.holdOpen(session) ?? (() => {});
  }

  follow: Host['follow'] = (session, listener) =>
    this.replica?.news.follow(session, listener) ?? (() => {});

  watch: Host['watch'] = (target, after, listener) => {
    if (this.replica !== null) return this.replica.watches.add(target, after, listener);
    this.ports.clock.soon(() => listener.onOver('NOT_FOUNDED', this.notFoundedText()));
    return () => {};
  };

  private selfView(): SelfView {
    const { nodeId, storeId } = present(this.self, 'the identity');
    const leader = this.replica?.leaderNews() ?? NO_LEADER;
    return { nodeId, storeId, clusterId: this.founder?.founded?.clusterId ?? null, leader };
  }

  private identify({ slots, founding }: Recovered): void {
    const { ports } = this;
    const { nodeId, storeId, bootCount } = slots;
    const { heartbeatMs, electionMs } = this.settings;
    const bootId = randomHex128(ports.random);
    const commandSet = this.settings.commandSet ?? COMMAND_SET;
    this.self = { nodeId, storeId, bootId, bootCount, heartbeatMs, electionMs, commandSet };
    this.founder = new Founding(
      {
        nodeId,
        storeId,
        clock: ports.clock,
        random: ports.random,
        found: (record, done) =>
          this.storage.found(record, (result) => {
            done(result);
            if (!result.ok) this.fail(result.exit);
          }),
        onFounded: (recovered) => {
          if (this.phase === 'stopping' || this.phase === 'stopped') return;
          this.createReplica(recovered);
          if (this.phase === 'running') this.startReplica();
        },
      },
      founding,
    );
  }

  private createReplica({ founding, raft }: Recovered): void {
    const { ports, settings, storage, self } = this;
    this.replica = new Replica({
      ports,
      settings,
      storage,
      self: present(self, 'the identity, known since the directory was opened'),
      founding: present(founding, 'the founding record of a founded directory'),
      start: present(raft, 'the log of a founded directory'),
      onLeaderChange: () => this.tellLeader(),
      onFailed: (exit) => this.fail(exit),
    });
  }

  private listen(done: (exit: HostExit | null) => void): void {
    this.ports.transport.listen(
      (link, door) => this.accepted(link, door),
      (error) => {
        if (this.phase !== 'starting') return done(STOPPED_EARLY);
        if (error !== null) return this.refuseStart(listenExit(error), done);
        this.phase = 'running';
        if (this.replica !== null) this.startReplica();
        else this.ports.logger.warn(this.notFoundedText());
        done(null);
      },
    );
  }

  private startReplica(): void {
    const replica = present(this.replica, 'the replica');
    const { storage, ports, settings } = this;
    this.diskWatch = new DiskWatch({
      storage,
      engine: replica.engine,
      clock: ports.clock,
      logger: ports.logger,
      reserveBytes: settings.reserveBytes,
      onFailed: (exit) => this.fail(exit),
    });
    replica.start();
    this.diskWatch.start();
  }

  private accepted(link: Link, door: Door): void {
    if (this.phase !== 'running') link.close('the node is stopping');
    else if (door === 'client') this.door.accepted(link);
    else if (this.replica !== null) this.replica.peers.accepted(link);
    else this.blankDoor?.accepted(link);
  }

  private tellLeader(): void {
    this.door.tellLeader();
    for (const listener of [...this.leaderListeners]) listener();
  }

  private notFoundedText(): string {
    const { nodeId } = this.settings;
    return `${nodeId} belongs to no cluster yet: start all nodes, then run "holdfast init" once`;
  }

  private raiseLastFloor(done: () => void): void {
    if (this.diskWatch === null || this.phase === 'stopped') return done();
    this.diskWatch.raiseFloor(done);
  }

  private refuseStart(exit: HostExit, done: (exit: HostExit | null) => void): void {
    this.phase = 'stopped';
    this.closed.wait(() => done(exit));
    this.storage.close(() => this.closed.open());
  }

  private closeAll(): void {
    if (this.phase === 'stopped') return;
    this.phase = 'stopped';
    this.diskWatch?.stop();
    this.replica?.stop();
    this.ports.transport.close(() => this.storage.close(() => this.closed.open()));
  }

  /** Nothing leaves this node any more (RAFT.md §15.4); whoever carries it must end it. */
  private fail(exit: HostExit): void {
    if (this.phase === 'stopped') return;
    this.ports.logger.error(exit.message, { exitCode: exit.exitCode });
    this.closeAll();
    this.onExit(exit);
  }
}
