// Three nodes that share one real lock machine: what a client sees of a cluster, without Raft.

import type { Command } from '../../src/locks/commands.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { createLockMachine } from '../../src/locks/machine.ts';
import type { LockEvent, Outcome } from '../../src/locks/outcomes.ts';
import type { MembershipView, QueryResult, SessionNews } from '../../src/wire/client-messages.ts';
import { WatchLog } from '../../src/node/watch-log.ts';
import { Watches } from '../../src/node/watches.ts';
import { FakeNode } from './fake-node.ts';
import type { FakeNetwork } from './fake-network.ts';
import type { VirtualClock } from './virtual-clock.ts';

export const ADDRESSES = ['10.0.0.1:7101', '10.0.0.2:7102', '10.0.0.3:7103'];

/** One applied command, for tests that count. */
export interface Applied {
  readonly index: number;
  readonly command: Command;
  readonly outcome: Outcome;
}

export class FakeCluster {
  readonly clock: VirtualClock;
  readonly network: FakeNetwork;
  nodes: readonly FakeNode[];
  readonly applied: Applied[] = [];
  clusterId = 'c1';
  term = 1;
  /** Of the configuration that the nodes tell of: all of them are members. */
  configIndex = 0;
  leaderId: string | null = 'n1';
  /** Whether a silent session expires after its TTL. */
  expires = true;
  private machine = createLockMachine(DEFAULT_LIMITS);
  private index = 0;
  /** The shipped ones. Its log is small, so that tests may run beyond it. */
  readonly watches: Watches;
  private readonly watchLog = new WatchLog(0, { eventsMax: 200, bytesMax: 1_000_000 });
  private readonly renewedUs = new Map<string, number>();

  constructor(clock: VirtualClock, network: FakeNetwork) {
    this.clock = clock;
    this.network = network;
    this.watches = new Watches({
      log: this.watchLog,
      soon: (callback) => clock.soon(callback),
      appliedIndex: () => this.index,
      confirm: (done) => clock.soon(() => done(true)),
    });
    this.nodes = ADDRESSES.map((address, at) => new FakeNode(this, `n${at + 1}`, address));
    for (const node of this.nodes) node.start();
    this.reconfigure(this.nodes);
  }

  get locks(): ReturnType<typeof createLockMachine> {
    return this.machine;
  }

  get revision(): number {
    return this.index;
  }

  node(nodeId: string): FakeNode {
    const node = this.nodes.find((each) => each.nodeId === nodeId);
    if (node === undefined) throw new Error(`no node ${nodeId}`);
    return node;
  }

  membership(): MembershipView {
    const members = this.nodes.map(({ nodeId, address }) => ({
      nodeId,
      storeId: nodeId,
      address,
      role: 'voter' as const,
      isConnected: true,
      isCaughtUp: true,
      matchIndex: this.index,
    }));
    const { configIndex } = this;
    return { configIndex, isCommitted: true, isJoint: false, members, retired: [] };
  }

  /** One node more. */
  join(nodeId: string, address: string): FakeNode {
    const node = new FakeNode(this, nodeId, address);
    node.start();
    this.reconfigure([...this.nodes, node]);
    return node;
  }

  /** A member no more: its process goes on, and believes what it knew. */
  remove(nodeId: string): FakeNode {
    const node = this.node(nodeId);
    this.reconfigure(this.nodes.filter((each) => each !== node));
    return node;
  }

  private reconfigure(nodes: readonly FakeNode[]): void {
    this.nodes = nodes;
    this.configIndex++;
    for (const each of nodes) each.learnMembers();
  }

  /** Another leader, or none, in the next term; every node tells its clients. */
  elect(leaderId: string | null): void {
    this.term++;
    this.leaderId = leaderId;
    this.watches.stepDown();
    for (const node of this.nodes) node.tellLeader();
  }

  /** All data is lost, and the cluster founded anew. */
  wipe(clusterId: string): void {
    this.clusterId = clusterId;
    this.machine = createLockMachine(DEFAULT_LIMITS);
    for (const node of this.nodes) node.restart();
  }

  apply(command: Command): Outcome {
    const index = ++this.index;
    const { outcome, events } = this.machine.apply(index, this.term, command);
    this.applied.push({ index, command, outcome });
    if (outcome.code === 'OPENED') this.renew(outcome.session);
    for (const event of events) this.publish(event, command);
    this.watches.publish(index, events);
    return outcome;
  }

  /** The present leader knows that the session is alive. */
  renew(session: string): void {
    this.renewedUs.set(session, this.clock.monoUs());
    const ttlMs = this.machine.session(session)?.ttlMs ?? null;
    if (ttlMs === null) return;
    this.clock.after(ttlMs * 1000, () => {
      const idleUs = this.clock.monoUs() - (this.renewedUs.get(session) ?? 0);
      if (this.expires && idleUs >= ttlMs * 1000) this.expire(session);
    });
  }

  /** What the leader's clock says of leases goes with it. */
  inspect(name: string): Extract<QueryResult, { readonly kind: 'lock' }> {
    const lock = this.machine.inspect(name);
    const holders = lock.holders.map(({ session }) => this.leaseLeftMs(session));
    const ghosts = lock.ghosts.map(({ lockDelayMs }) => lockDelayMs);
    return { kind: 'lock', lock, leftMs: { holders, ghosts } };
  }

  expire(session: string): void {
    if (this.machine.session(session) === null) return;
    this.apply({ op: 'expireSession', session, proposerTerm: this.term });
  }

  /** How often commands of this kind were applied. */
  count(op: Command['op'], code?: Outcome['code']): number {
    return this.applied.filter(
      ({ command, outcome }) => command.op === op && (code === undefined || outcome.code === code),
    ).length;
  }

  private leaseLeftMs(session: string): number | null {
    const ttlMs = this.machine.session(session)?.ttlMs ?? null;
    if (ttlMs === null) return null;
    const idleUs = this.clock.monoUs() - (this.renewedUs.get(session) ?? 0);
    return Math.max(0, ttlMs - Math.floor(idleUs / 1000));
  }

  // A session's own acquire tells of its grant by its reply.
  private publish(event: LockEvent, command: Command): void {
    const isReply = event.type === 'granted' && command.op === 'acquire';
    const news = isReply ? null : newsOf(event);
    if (news === null) return;
    for (const node of this.nodes) node.push(news);
  }
}

function newsOf(event: LockEvent): SessionNews | null {
  if (event.type === 'granted') {
    const { session, acquireSeq, token, slots } = event;
    return { kind: 'granted', session, acquireSeq, token, slots };
  }
  if (event.type === 'sessionEnded') {
    const { session, cause, reason } = event;
    return { kind: 'ended', session, cause, reason };
  }
  const isOver = event.type === 'freed' || event.type === 'left';
  if (!isOver || (event.cause !== 'broken' && event.cause !== 'withdrawn')) return null;
  const { session, acquireSeq, cause } = event;
  const token = event.type === 'freed' ? event.token : 0;
  const reason = event.type === 'freed' ? event.reason : '';
  return { kind: 'over', session, acquireSeq, token, cause, reason };
}
