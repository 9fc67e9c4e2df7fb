import type { MonoUs, SessionId } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import type { LockMachine } from '../locks/machine-types.ts';
import type { RaftStart } from '../raft/events.ts';
import type { LeaderNews, MembershipView, NodeStatus, Query } from '../wire/client-messages.ts';
import type { FoundingRecord } from '../wire/founding-record.ts';
import { clusterSeed } from '../wire/record.ts';
import { Alarms } from './alarms.ts';
import { ApplyWatch } from './apply-watch.ts';
import { createConsensus } from './consensus.ts';
import { Decisions } from './decisions.ts';
import type { EngineListener } from './engine.ts';
import type { Engine } from './engine.ts';
import type { Identity } from './handshake.ts';
import { handOver } from './hand-over.ts';
import type { HostAnswer, HostExit, HostPorts, HostSettings } from './host-types.ts';
import { Leadership } from './leadership.ts';
import { LockState } from './lock-state.ts';
import { Members } from './members.ts';
import { News } from './news.ts';
import { Office } from './office.ts';
import { OwnProposals } from './own-proposals.ts';
import { Peers } from './peers.ts';
import { Proposals } from './proposals.ts';
import { answerQuery, refuseQuery } from './queries.ts';
import { QueryTurns } from './query-turns.ts';
import { Reads } from './reads.ts';
import { StateComparison } from './state-comparison.ts';
import { StateKeeper } from './state-keeper.ts';
import { Steward } from './steward.ts';
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
  /** The state as of `start.applied`. */
  readonly machine: LockMachine;
  /** Role, leader or readiness changed. */
  readonly onLeaderChange: () => void;
  /** Another configuration is in force. */
  readonly onMembersChange: () => void;
  readonly onFailed: (exit: HostExit) => void;
}

/** A founded node: consensus, the lock machine and what belongs to leadership, joined. */
export class Replica {
  readonly state: LockState;
  readonly engine: Engine;
  readonly peers: Peers;
  readonly members: Members;
  readonly proposals: Proposals;
  readonly reads: Reads;
  readonly office: Office;
  readonly news = new News();
  readonly watches: Watches;
  readonly keeper: StateKeeper;
  readonly decisions: Decisions;
  readonly steward: Steward;
  readonly alarms = new Alarms();
  readonly founding: FoundingRecord;
  readonly self: Identity;
  private readonly options: ReplicaOptions;
  private readonly applyWatch = new ApplyWatch();
  private readonly queryTurns: QueryTurns;
  private readonly leadership: Leadership;
  private readonly own: OwnProposals;
  private readonly comparison: StateComparison;

  constructor(options: ReplicaOptions) {
    const { clock } = options.ports;
    const soon = (callback: () => void): void => clock.soon(callback);
    this.options = options;
    this.founding = options.founding;
    this.self = options.self;
    this.state = new LockState(options.machine, options.start.applied);
    this.engine = this.createEngine();
    this.own = new OwnProposals(clock, this.engine);
    this.peers = this.createPeers();
    this.members = this.createMembers();
    this.decisions = new Decisions((event) => this.engine.step(event));
    this.proposals = new Proposals({
      clock,
      propose: (list) => this.engine.propose(list),
      onRefused: (code) => options.ports.watch?.refused?.(code),
    });
    this.reads = new Reads({ ask: (id) => this.engine.step({ type: 'read', id }), soon });
    this.queryTurns = new QueryTurns(soon);
    this.office = new Office({
      clock,
      stallUs: (options.settings.electionMs * US_PER_MS) / 2,
      reads: this.reads,
      machine: this.state,
      propose: (bodies) => this.own.propose(bodies),
    });
    this.watches = new Watches({
      log: new WatchLog(options.start.applied, options.settings.watchLog),
      soon,
      appliedIndex: () => this.state.appliedIndex,
      confirm: (done) => this.reads.request(done),
    });
    this.leadership = this.createLeadership();
    this.keeper = this.createKeeper();
    this.comparison = this.createComparison();
    this.steward = this.createSteward();
  }

  /** Leads in this moment, as far as it knows; ready or not. */
  get isLeading(): boolean {
    return this.office.term !== null;
  }

  /** How long committed entries have waited while none was applied. */
  get stuckMs(): number {
    return this.applyWatch.stuckMs(this.options.ports.clock.monoUs());
  }

  /** Who leads, as it is told to clients. */
  leaderNews(): Omit<LeaderNews, 'type'> {
    const { term, leaderId, isReady } = this.leadership.current;
    return { term, leaderId, address: this.members.addressOf(leaderId), isReady };
  }

  start(): void {
    this.members.start();
    this.engine.start();
    this.keeper.start();
  }

  /** Lets another node lead, if this one does; calls back in any case. */
  handOver(done: () => void): void {
    const { decisions } = this;
    const { ports, settings } = this.options;
    if (!this.isLeading) return done();
    handOver({ clock: ports.clock, electionMs: settings.electionMs, decisions }, done);
  }

  /** Says goodbye as a leader; effects leave before the links are closed by the caller. */
  stepDown(): void {
    this.watches.stop();
    this.engine.step({ type: 'stepDown' });
  }

  stop(): void {
    this.engine.stop();
    this.keeper.stop();
    this.watches.stop();
    this.steward.stop();
    this.leadership.abdicate('the node stopped before the request was decided');
    this.reads.stop();
    this.proposals.stop();
    this.peers.stop('stopping');
  }

  /** A linearizable answer: from a state that is not older than the question (RAFT.md §8). */
  ask(query: Query, status: () => NodeStatus, done: (answer: HostAnswer) => void): void {
    this.reads.request((isConfirmed) => {
      if (!isConfirmed) return done(refuseQuery('NOT_LEADER', 'this node does not lead'));
      this.queryTurns.add(() => {
        const { machine, appliedIndex: revision } = this.state;
        const membership = (): MembershipView => this.members.view();
        const result = answerQuery(query, { machine, times: this.office, status, membership });
        done({ revision, result });
        return result;
      });
    });
  }

  /** Leader only: takes waiters out of their queues. */
  withdraw(session: SessionId, acquireSeq: number): void {
    this.own.withdraw(this.office, session, acquireSeq);
  }

  private createEngine(): Engine {
    const { settings, storage, ports, start, machine } = this.options;
    const onTick = (nowUs: MonoUs): void => this.onTick(nowUs);
    const listener = this.createListener();
    return createConsensus({ settings, storage, ports, start, machine, listener, onTick });
  }

  private createListener(): EngineListener {
    const { onFailed } = this.options;
    return {
      send: (to, message) => this.peers.send(to, message),
      apply: (entries) => this.keeper.apply(entries),
      readReady: (ids) => this.reads.settle(ids, true),
      readFailed: (ids) => this.reads.settle(ids, false),
      roleChanged: (role, term, leaderId) => this.leadership.onRole(role, term, leaderId),
      leaderReady: () => this.leadership.onReady(),
      configChanged: (membership) => this.members.onConfig(membership),
      snapshot: (effect) => this.keeper.onSnapshot(effect),
      decided: (effect) => this.decisions.settle(effect),
      removed: (configIndex) => this.members.onRemoved(configIndex),
      peerLostLog: (peer, message) => this.members.onPeerLostLog(peer, message),
      failed: (exit) => onFailed(exit),
    };
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
      onStateHash: (from, message) => this.comparison.onPeer(from, message),
      onLink: (peer, state) => {
        this.engine.step({ type: 'link', peer, state });
        if (state === 'up') this.keeper.onLinkUp(peer);
      },
      onRemoved: (from, configIndex) => this.engine.step({ type: 'notMember', from, configIndex }),
    });
  }

  private createLeadership(): Leadership {
    const { office, proposals, watches } = this;
    const { logger } = this.options.ports;
    const onChange = (): void => {
      this.steward.onLeaderChange();
      this.options.onLeaderChange();
    };
    return new Leadership(
      { office, proposals, watches, logger, onChange },
      this.engine.status().term,
    );
  }

  private createKeeper(): StateKeeper {
    const { state, engine, office, proposals, news, watches } = this;
    const { storage, ports, settings, start, founding, onFailed } = this.options;
    return new StateKeeper({
      ...{ state, engine, office, proposals, news, watches },
      ...{ storage, ports, settings, start, onFailed },
      clusterId: founding.clusterId,
      onStateHash: (index, hash) => this.comparison.onOwn(index, hash),
    });
  }

  private createComparison(): StateComparison {
    const { self, alarms, peers, engine } = this;
    const { ports, onFailed } = this.options;
    return new StateComparison({
      ...{ self, alarms, onFailed },
      logger: ports.logger,
      voters: () => engine.status().config.voters,
      broadcast: (message) => peers.broadcast(message),
    });
  }

  private createSteward(): Steward {
    const { self, engine, peers, proposals, reads, decisions, founding } = this;
    const { ports, settings, storage, onFailed } = this.options;
    return new Steward({
      ...{ ports, settings, storage, self, engine, peers, proposals, reads, decisions, onFailed },
      clusterId: founding.clusterId,
      checkpointer: this.keeper.checkpointer,
      isLeading: () => this.isLeading,
      leaderId: () => this.leadership.current.leaderId,
      membershipView: () => this.members.view(),
      limits: () => this.state.machine.limits(),
    });
  }

  private createMembers(): Members {
    const { self, engine, peers, alarms } = this;
    return new Members({
      ...{ self, peers, alarms },
      status: () => engine.status(),
      logger: this.options.ports.logger,
      onChange: () => {
        this.steward.look();
        this.options.onMembersChange();
      },
    });
  }

  private onTick(nowUs: MonoUs): void {
    const { commitIndex, appliedIndex } = this.engine.status();
    this.applyWatch.look(commitIndex, appliedIndex, nowUs);
    this.office.tick(nowUs);
    this.steward.look();
  }
}
