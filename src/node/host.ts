import { present } from '../base/assert.ts';
import type { SessionId } from '../base/units.ts';
import type { Door, Link } from '../ports/transport.ts';
import type { LockMachine } from '../locks/machine-types.ts';
import { createMachineLoader } from '../locks/loader.ts';
import type { NodeStatus } from '../wire/client-messages.ts';
import type { SelfView } from './client-link.ts';
import { ClientDoor } from './client-door.ts';
import { COMMAND_SET } from './command-sets.ts';
import { randomHex128 } from './founding.ts';
import type { Identity } from './handshake.ts';
import { STOPPED_EARLY, listenExit, notFoundedText } from './host-exits.ts';
import type { Absence } from './host-requests.ts';
import { HostRequests } from './host-requests.ts';
import type { Host, HostExit, HostPorts, HostSettings } from './host-types.ts';
import { Latch } from './latch.ts';
import { MachineLoading } from './machine-loading.ts';
import { Newcomer } from './newcomer.ts';
import { refuseQuery } from './queries.ts';
import { Replica } from './replica.ts';
import { StateBuilder } from './state-builder.ts';
import { NO_LEADER, blankStatus, replicaStatus } from './status.ts';
import type { Recovered } from './storage/types.ts';
import { createNodeStorage } from './storage/storage.ts';
import type { NodeStorage } from './storage/types.ts';
import { Upkeep } from './upkeep.ts';

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
  private readonly requests: HostRequests;
  private readonly closed: Latch;
  /** Bounded by those who carry requests to this host. */
  private readonly leaderListeners = new Set<() => void>();
  private readonly memberListeners = new Set<() => void>();
  private phase: Phase = 'new';
  private self: Identity | null = null;
  private newcomer: Newcomer | null = null;
  private loading: StateBuilder | null = null;
  private replica: Replica | null = null;
  private upkeep: Upkeep | null = null;

  constructor(settings: HostSettings, ports: HostPorts) {
    this.settings = settings;
    this.ports = ports;
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
    this.requests = new HostRequests({
      ports,
      replica: () => this.replica,
      absence: () => this.absence(),
      isRunning: () => this.phase === 'running',
      isBelowReserve: () => this.upkeep?.isBelowReserve === true,
      status: () => this.status(),
    });
  }

  start(done: (exit: HostExit | null) => void): void {
    this.phase = 'starting';
    this.storage.open((result) => {
      if (this.phase !== 'starting') return done(STOPPED_EARLY);
      // The store may be open: an embedding process must be able to try again.
      if (!result.ok) return this.refuseStart(result.exit, done);
      this.identify(result.value);
      this.listen(done, () => this.enter(result.value, done));
    });
  }

  stop: Host['stop'] = (done, { transfer = true } = {}) => {
    this.closed.wait(done);
    if (this.phase === 'stopping' || this.phase === 'stopped') return;
    this.phase = 'stopping';
    if (this.replica === null || !transfer) this.leave();
    else this.replica.handOver(() => this.leave());
  };

  status(): NodeStatus {
    const { settings, self, replica, phase } = this;
    if (replica !== null) return replicaStatus(settings, replica, phase === 'stopped');
    if (phase === 'stopped') return blankStatus(settings, self, phase);
    const role = phase === 'running' ? 'blank' : 'starting';
    return blankStatus(settings, self, role, this.loading?.count);
  }

  onLeaderChange(listener: () => void): () => void {
    this.leaderListeners.add(listener);
    return () => this.leaderListeners.delete(listener);
  }

  onMembersChange(listener: () => void): () => void {
    this.memberListeners.add(listener);
    return () => this.memberListeners.delete(listener);
  }

  execute: Host['execute'] = (request, done) => this.requests.execute(request, done);
  keepAlive: Host['keepAlive'] = (session, done) => this.requests.keepAlive(session, done);
  query: Host['query'] = (query, done) => this.requests.query(query, done);
  watch: Host['watch'] = (...args) => this.requests.watch(...args);
  follow: Host['follow'] = (session, listener) => this.requests.follow(session, listener);

  withdraw(session: SessionId, acquireSeq: number): void {
    this.requests.withdraw(session, acquireSeq);
  }

  holdOpen(session: SessionId): () => void {
    return this.requests.holdOpen(session);
  }

  founding: Host['founding'] = (step, done) => {
    const { newcomer } = this;
    if (newcomer === null) {
      const answer = refuseQuery('UNAVAILABLE', 'the node is still starting');
      return this.ports.clock.soon(() => done(answer));
    }
    this.ports.clock.soon(() => newcomer.handle(step, (result) => done({ revision: 0, result })));
  };

  admin: Host['admin'] = (step, done) => this.requests.admin(step, done);

  private selfView(): SelfView {
    const { nodeId, storeId } = present(this.self, 'the identity');
    const leader = this.replica?.leaderNews() ?? NO_LEADER;
    const members = this.replica?.members.news() ?? null;
    return {
      nodeId,
      storeId,
      clusterId: this.newcomer?.founded?.clusterId ?? null,
      leader,
      members,
    };
  }

  private identify({ slots, founding: record }: Recovered): void {
    const { ports, settings, storage } = this;
    const { nodeId, storeId, bootCount } = slots;
    const { heartbeatMs, electionMs, commandSet = COMMAND_SET } = settings;
    const bootId = randomHex128(ports.random);
    const self = { nodeId, storeId, bootId, bootCount, heartbeatMs, electionMs, commandSet };
    this.self = self;
    this.newcomer = new Newcomer({
      ...{ self, ports, storage, record },
      onFounded: (recovered, machine) => this.becomeMember(recovered, machine),
      onFailed: (exit) => this.fail(exit),
    });
  }

  private listen(refused: (exit: HostExit | null) => void, done: () => void): void {
    this.ports.transport.listen(
      (link, door) => this.accepted(link, door),
      (error) => {
        if (this.phase !== 'starting') return refused(STOPPED_EARLY);
        if (error !== null) return this.refuseStart(listenExit(error), refused);
        done();
      },
    );
  }

  /** Clients may ask from now on how far the start is; taking part comes when it is over. */
  private enter(recovered: Recovered, done: (exit: HostExit | null) => void): void {
    if (recovered.raft === null) {
      this.phase = 'running';
      this.ports.logger.warn(this.absence().message);
      return done(null);
    }
    this.load(recovered, (exit) => {
      if (this.phase !== 'starting') return done(STOPPED_EARLY);
      if (exit !== null) return this.refuseStart(exit, done);
      this.phase = 'running';
      done(null);
    });
  }

  /** The directory is blank no more. A state that was received is not read again. */
  private becomeMember(recovered: Recovered, machine: LockMachine | null): void {
    if (machine === null) this.load(recovered, (exit) => exit !== null && this.fail(exit));
    else if (this.phase === 'running') this.takePart(recovered, machine);
  }

  /** Loads the state of a founded directory; then the node takes part, unless it stops. */
  private load(recovered: Recovered, done: (exit: HostExit | null) => void): void {
    const { storage, ports } = this;
    const { limits } = present(recovered.founding, 'the founding record of a founded directory');
    const { point, rowSum } = present(recovered.checkpoint, 'the checkpoint of a founded one');
    const builder = (this.loading = new StateBuilder(createMachineLoader(limits), ports.clock));
    new MachineLoading({ storage, builder, rowSum }).start((loaded) => {
      if (!loaded.ok) return done(loaded.exit);
      if (this.phase === 'stopping' || this.phase === 'stopped') return done(STOPPED_EARLY);
      ports.logger.info('Loaded the state', { index: point.last.index, rows: builder.count });
      this.takePart(recovered, loaded.machine);
      done(null);
    });
  }

  private takePart(recovered: Recovered, machine: LockMachine): void {
    const { ports, settings, storage } = this;
    const founding = present(recovered.founding, 'the founding record');
    const start = present(recovered.raft, 'the log of a founded directory');
    const onFailed = (exit: HostExit): void => this.fail(exit);
    const replica = new Replica({
      ...{ ports, settings, storage, founding, start, machine, onFailed },
      self: present(this.self, 'the identity, known since the directory was opened'),
      onLeaderChange: () => this.tellLeader(),
      onMembersChange: () => this.tellMembers(),
    });
    this.replica = replica;
    this.upkeep = new Upkeep({ engine: replica.engine, storage, ports, settings, onFailed });
    replica.start();
    this.upkeep.start();
  }

  private accepted(link: Link, door: Door): void {
    if (this.phase === 'stopping' || this.phase === 'stopped') link.close('the node is stopping');
    else if (door === 'client') this.door.accepted(link);
    else if (this.replica !== null) this.replica.peers.accepted(link);
    else if (this.newcomer?.founded === null) this.newcomer.accepted(link);
    else link.close('the node loads its state');
  }

  private tellLeader(): void {
    this.door.tellLeader();
    for (const listener of [...this.leaderListeners]) listener();
  }

  private tellMembers(): void {
    this.door.tellMembers();
    for (const listener of [...this.memberListeners]) listener();
  }

  private absence(): Absence {
    const { nodeId } = this.settings;
    if (this.newcomer?.founded !== null) {
      return { code: 'UNAVAILABLE', message: `${nodeId} is starting: it loads its state` };
    }
    return { code: 'NOT_FOUNDED', message: notFoundedText(nodeId) };
  }

  /** The end of a stop, once somebody else leads or nobody else can. */
  private leave(): void {
    if (this.phase !== 'stopping') return;
    this.replica?.stepDown();
    this.door.close('UNAVAILABLE', 'the node is stopping');
    // One more turn, so that the goodbye and the last answers reach the sockets.
    this.ports.clock.soon(() => {
      if (this.upkeep === null || this.phase === 'stopped') this.closeAll();
      else this.upkeep.raiseFloor(() => this.closeAll());
    });
  }

  private refuseStart(exit: HostExit, done: (exit: HostExit | null) => void): void {
    this.phase = 'stopped';
    this.closed.wait(() => done(exit));
    this.door.close('UNAVAILABLE', 'the node does not start');
    this.ports.transport.close(() => this.storage.close(() => this.closed.open()));
  }

  private closeAll(): void {
    if (this.phase === 'stopped') return;
    this.phase = 'stopped';
    this.upkeep?.stop();
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
