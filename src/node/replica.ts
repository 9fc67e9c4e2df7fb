import type { Index, MonoUs, NodeId, SessionId, Term } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import type { LockMachine } from '../locks/machine-types.ts';
import { createLockMachine } from '../locks/machine.ts';
import type { ClusterConfig } from '../raft/config.ts';
import type { Role } from '../raft/events.ts';
import { DEFAULT_RAFT_SETTINGS } from '../raft/events.ts';
import { createCore } from '../raft/create.ts';
import { Raft } from '../raft/raft.ts';
import type { CommandBody } from '../wire/command.ts';
import { encodeBody, encodePayload } from '../wire/command.ts';
import type { LeaderNews, NodeStatus, Query } from '../wire/client-messages.ts';
import type { FoundingRecord } from '../wire/founding-record.ts';
import { clusterSeed } from '../wire/record.ts';
import type { RaftStart } from '../raft/events.ts';
import { Applier } from './applier.ts';
import { ApplyWatch } from './apply-watch.ts';
import { Engine } from './engine.ts';
import type { Identity } from './handshake.ts';
import { membersOf } from './handshake.ts';
import type { HostAnswer, HostExit, HostPorts, HostSettings } from './host-types.ts';
import { News } from './news.ts';
import { Office } from './office.ts';
import type { Membership } from './peers.ts';
import { Peers } from './peers.ts';
import { Proposals } from './proposals.ts';
import { answerQuery, refuseQuery } from './queries.ts';
import { QueryTurns } from './query-turns.ts';
import { Reads } from './reads.ts';
import type { NodeStorage } from './storage/types.ts';
import { WatchLog } from './watch-log.ts';
import { Watches } from './watches.ts';

export interface ReplicaOptions {
  readonly ports: HostPorts;
  readonly settings: HostSettings;
  readonly storage: NodeStorage;
  readonly self: Identity;
  readonly founding: FoundingRecord;
  readonly start: RaftStart;
  /** Role, leader or readiness changed. */
  readonly onLeaderChange: () => void;
  readonly onFailed: (exit: HostExit) => void;
}

/** A founded node: consensus, the lock machine and what belongs to leadership, joined. */
export class Replica {
  readonly machine: LockMachine;
  readonly engine: Engine;
  readonly peers: Peers;
  readonly proposals: Proposals;
  readonly reads: Reads;
  readonly office: Office;
  readonly news = new News();
  readonly watches: Watches;
  readonly founding: FoundingRecord;
  readonly self: Identity;
  private readonly options: ReplicaOptions;
  private readonly applier: Applier;
  private readonly applyWatch = new ApplyWatch();
  private readonly queryTurns: QueryTurns;
  private leader: { term: Term; leaderId: NodeId | null; isReady: boolean };
  private config: ClusterConfig;

  constructor(options: ReplicaOptions) {
    const { clock } = options.ports;
    this.options = options;
    this.founding = options.founding;
    this.self = options.self;
    this.machine = createLockMachine(options.founding.limits);
    this.engine = this.createEngine();
    const { term, leaderId, config } = this.engine.status();
    this.leader = { term, leaderId, isReady: false };
    this.config = config;
    this.peers = this.createPeers();
    this.proposals = new Proposals({ clock, propose: (list) => this.engine.propose(list) });
    this.reads = new Reads({
      ask: (id) => this.engine.step({ type: 'read', id }),
      soon: (callback) => clock.soon(callback),
    });
    this.queryTurns = new QueryTurns((callback) => clock.soon(callback));
    this.office = new Office({
      clock,
      stallUs: (options.settings.electionMs * US_PER_MS) / 2,
      reads: this.reads,
      machine: this.machine,
      propose: (bodies) => this.proposeInternal(bodies),
    });
    this.watches = new Watches({
      log: new WatchLog(options.start.applied, options.settings.watchLog),
      soon: (callback) => clock.soon(callback),
      appliedIndex: () => this.appliedIndex,
      confirm: (done) => this.reads.request(done),
    });
    const { machine, office, proposals, news, watches } = this;
    this.applier = new Applier(
      { machine, office, proposals, news, watches, watch: options.ports.watch },
      options.start.applied,
    );
  }

  /** Leads in this moment, as far as it knows; ready or not. */
  get isLeading(): boolean {
    return this.office.term !== null;
  }

  get appliedIndex(): Index {
    return this.applier.appliedIndex;
  }

  /** How long committed entries have waited while none was applied. */
  get stuckMs(): number {
    return this.applyWatch.stuckMs(this.options.ports.clock.monoUs());
  }

  /** Who leads, as it is told to clients. */
  leaderNews(): Omit<LeaderNews, 'type'> {
    const { term, leaderId, isReady } = this.leader;
    const member = membersOf(this.config).find(({ nodeId }) => nodeId === leaderId);
    return { term, leaderId, address: member?.address ?? null, isReady };
  }

  start(): void {
    this.peers.setConfig(this.membership());
    this.engine.start();
  }

  /** Says goodbye as a leader; effects leave before the links are closed by the caller. */
  stepDown(): void {
    this.watches.stop();
    this.engine.step({ type: 'stepDown' });
  }

  stop(): void {
    this.engine.stop();
    this.watches.stop();
    this.abdicate('the node stopped before the request was decided');
    this.reads.stop();
    this.proposals.stop();
    this.peers.stop('stopping');
  }

  /** A linearizable answer: from a state that is not older than the question (RAFT.md §8). */
  ask(query: Query, status: () => NodeStatus, done: (answer: HostAnswer) => void): void {
    this.reads.request((isConfirmed) => {
      if (!isConfirmed) return done(refuseQuery('NOT_LEADER', 'this node does not lead'));
      this.queryTurns.add(() => {
        const { machine, office: times } = this;
        const result = answerQuery(query, { machine, times, status });
        done({ revision: this.appliedIndex, result });
        return result;
      });
    });
  }

  /** Leader only: takes waiters out of their queues. */
  withdraw(session: SessionId, acquireSeq: number): void {
    this.options.ports.clock.soon(() => {
      const { term: proposerTerm } = this.office;
      if (proposerTerm === null) return;
      this.proposeInternal([{ op: 'withdraw', session, acquireSeq, proposerTerm }]);
    });
  }

  private createEngine(): Engine {
    const { settings, storage, ports, start } = this.options;
    const raftSettings = {
      ...DEFAULT_RAFT_SETTINGS,
      ...settings.replication,
      heartbeatUs: settings.heartbeatMs * US_PER_MS,
      electionUs: settings.electionMs * US_PER_MS,
    };
    const core = createCore({
      start,
      settings: raftSettings,
      random: () => ports.random.u32(),
      nowUs: ports.clock.monoUs(),
    });
    ports.watch?.started(core, start, this.machine);
    return new Engine({
      raft: new Raft(core),
      storage,
      watch: ports.watch,
      clock: ports.clock,
      tickUs: raftSettings.heartbeatUs / 2,
      onTick: (tickUs) => this.onTick(tickUs),
      listener: {
        send: (to, message) => this.peers.send(to, message),
        apply: (entries) => this.applier.apply(entries),
        readReady: (ids) => this.reads.settle(ids, true),
        readFailed: (ids) => this.reads.settle(ids, false),
        roleChanged: (role, term, leaderId) => this.onRole(role, term, leaderId),
        leaderReady: () => this.onReady(),
        configChanged: (membership) => this.onConfig(membership),
        peerLostLog: (peer, message) => ports.logger.error(message, { peer }),
        failed: (exit) => this.options.onFailed(exit),
      },
    });
  }

  private createPeers(): Peers {
    const { self, founding, ports } = this.options;
    return new Peers({
      self,
      clusterId: founding.clusterId,
      seed: clusterSeed(founding.clusterId),
      config: this.engine.status().config,
      ports,
      onMessage: (from, message) => this.engine.step({ type: 'message', from, message }),
      onStateHash: () => {},
      onLink: (peer, state) => this.engine.step({ type: 'link', peer, state }),
      onRemoved: (from, configIndex) => this.engine.step({ type: 'notMember', from, configIndex }),
    });
  }

  private onConfig(membership: Membership): void {
    this.config = membership.config;
    this.peers.setConfig(membership);
  }

  private membership(): Membership {
    const { config, configIndex, previousConfig, commitIndex } = this.engine.status();
    const isCommitted = configIndex <= commitIndex;
    return { config, index: configIndex, isCommitted, previous: previousConfig };
  }

  private onRole(role: Role, term: Term, leaderId: NodeId | null): void {
    const { office } = this;
    if (office.term !== null && (role !== 'leader' || office.term !== term)) {
      this.abdicate('the leader lost its office before the request was decided');
    }
    if (role === 'leader' && office.term === null) office.begin(term);
    this.leader = { term, leaderId, isReady: office.leases.isReady };
    this.options.ports.logger.info(describeRole(role, leaderId), { role, term, leaderId });
    this.options.onLeaderChange();
  }

  private abdicate(why: string): void {
    this.office.end();
    this.proposals.abandon(why);
    this.watches.stepDown();
  }

  private onReady(): void {
    this.office.becomeReady();
    this.leader = { ...this.leader, isReady: true };
    this.options.ports.logger.info('Ready to answer', { term: this.leader.term });
    this.options.onLeaderChange();
  }

  private onTick(nowUs: MonoUs): void {
    const { commitIndex, appliedIndex } = this.engine.status();
    this.applyWatch.look(commitIndex, appliedIndex, nowUs);
    this.office.tick(nowUs);
  }

  private proposeInternal(bodies: readonly CommandBody[]): number {
    const stamp = { ackedBelow: 0, stampMs: this.options.ports.clock.wallMs() };
    const admission = this.engine.propose(
      bodies.map((body) => ({
        type: 'command' as const,
        payload: encodePayload(encodeBody(body), stamp),
        internal: true,
      })),
    );
    return admission.accepted;
  }
}

function describeRole(role: Role, leaderId: NodeId | null): string {
  if (role === 'leader') return 'Leads now';
  if (role === 'candidate') return 'Asks for votes';
  if (role === 'preCandidate') return 'Hears no leader; asks whether it could be elected';
  return leaderId === null ? 'Knows no leader' : `Follows ${leaderId}`;
}
