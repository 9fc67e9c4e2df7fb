import type { Link } from '../../src/ports/transport.ts';
import type {
  AdminStep,
  ClientMessage,
  KeepAliveItem,
  KeepAliveResult,
  NodeMessage,
  Query,
  QueryResult,
  SessionNews,
  WatchTarget,
} from '../../src/wire/client-messages.ts';
import { decodeClientMessages, encodeNodeMessages } from '../../src/wire/client.ts';
import { decodePayload, encodePayload } from '../../src/wire/command.ts';
import type { Outcome } from '../../src/locks/outcomes.ts';
import type { Refused } from '../../src/wire/client-messages.ts';
import { ClientWatches } from '../../src/node/client-watches.ts';
import type { WatchListener } from '../../src/node/host-types.ts';
import type { FakeCluster } from './fake-cluster.ts';

interface Caller {
  readonly link: Link;
  readonly sessions: Set<string>;
  readonly watches: ClientWatches;
}

/** One node's door for clients. */
export class FakeNode {
  readonly nodeId: string;
  readonly address: string;
  /** Answers every command with this instead, before (or with `late`, after) applying it. */
  refusal: Refused | null = null;
  isLate = false;
  /** Keepalives that it does not hear, how many more; of one session, if `deafTo` names it. */
  deafness = 0;
  deafTo: string | null = null;
  /** Answers what operators ask while it leads. */
  onAdmin: (step: AdminStep, done: (result: QueryResult) => void) => void = () => {};
  private readonly cluster: FakeCluster;
  /** What it knows of the members; of one that left: what it knew. */
  private members: NodeMessage | null = null;
  private callers: Caller[] = [];

  constructor(cluster: FakeCluster, nodeId: string, address: string) {
    this.cluster = cluster;
    this.nodeId = nodeId;
    this.address = address;
  }

  start(): void {
    this.cluster.network.places.set(this.address, { accept: (link) => this.accept(link) });
  }

  /** The process is gone: links end, dials are refused. */
  stop(): void {
    this.cluster.network.places.delete(this.address);
    for (const caller of this.callers) caller.watches.stop();
    this.callers = [];
    this.cluster.network.cut(this.address);
  }

  restart(): void {
    this.stop();
    this.start();
  }

  tellLeader(): void {
    for (const caller of this.callers) this.send(caller, [this.leaderNews()]);
  }

  /** The configuration in force is another one. */
  learnMembers(): void {
    const { configIndex, nodes } = this.cluster;
    const members = nodes.map(({ nodeId, address }) => ({ nodeId, address }));
    this.members = { type: 'members', configIndex, members };
    for (const caller of this.callers) this.send(caller, [this.members]);
  }

  push(news: SessionNews): void {
    const { revision } = this.cluster;
    for (const caller of this.callers) {
      if (caller.sessions.has(news.session)) this.send(caller, [{ type: 'news', revision, news }]);
    }
  }

  private accept(link: Link): void {
    const push = (message: NodeMessage): void => void link.send(encodeNodeMessages([message]));
    const watches = new ClientWatches({ host: this, push });
    const caller: Caller = { link, sessions: new Set(), watches };
    link.onFrame = (frame) => {
      const replies = decodeClientMessages(frame).flatMap((message) =>
        this.answer(caller, message),
      );
      if (replies.length > 0) this.send(caller, replies);
    };
    link.onClose = () => {
      caller.watches.stop();
      this.callers = this.callers.filter((each) => each !== caller);
    };
  }

  private send(caller: Caller, messages: readonly NodeMessage[]): void {
    caller.link.send(encodeNodeMessages(messages));
  }

  private answer(caller: Caller, message: ClientMessage): readonly NodeMessage[] {
    const { revision } = this.cluster;
    switch (message.type) {
      case 'hello':
        return this.greet(caller, message.clusterId);
      case 'attach':
        for (const session of message.sessions) caller.sessions.add(session);
        return [];
      case 'keepAlive': {
        const items = message.items
          .filter((item) => this.hears(item.session))
          .map((item) => this.keepAlive(item));
        return [{ type: 'keepAliveReply', items }];
      }
      case 'query': {
        const { requestId } = message;
        return [{ type: 'answer', requestId, revision, result: this.query(message.query) }];
      }
      case 'command': {
        const outcome = this.execute(message.body, message.ackedBelow);
        const { requestId } = message;
        return [{ type: 'reply', requestId, revision: this.cluster.revision, outcome }];
      }
      case 'admin':
        this.administer(caller, message);
        return [];
      case 'watch':
        caller.watches.watch(message.watchId, message.target, message.after);
        return [];
      case 'unwatch':
        caller.watches.unwatch(message.watchId);
        return [];
      default:
        return [];
    }
  }

  private administer(caller: Caller, message: Extract<ClientMessage, { type: 'admin' }>): void {
    const done = (result: QueryResult): void => {
      const { requestId } = message;
      this.send(caller, [{ type: 'answer', requestId, revision: 0, result }]);
    };
    if (this.isLeader()) return this.onAdmin(message.step, done);
    done({ kind: 'refused', code: 'NOT_LEADER', message: 'not the leader' });
  }

  /** As a host does it: only a leader serves watches. */
  watch(target: WatchTarget, after: number | null, listener: WatchListener): () => void {
    const { clock, watches } = this.cluster;
    if (this.isLeader()) return watches.add(target, after, listener);
    const refusal = clock.after(0, () => listener.onOver('NOT_LEADER', 'this node does not lead'));
    return () => refusal.cancel();
  }

  // As the shipped door does it: a client of another cluster is never welcomed (client-link.ts).
  private greet(caller: Caller, theirs: string | null): readonly NodeMessage[] {
    const { clusterId: ours } = this.cluster;
    if (theirs !== null && theirs !== ours) {
      const message = `this node belongs to cluster ${ours}, not to ${theirs}`;
      return [{ type: 'goodbye', code: 'CLUSTER_CHANGED', message }];
    }
    this.callers.push(caller);
    return [this.welcome(), this.leaderNews(), ...(this.members === null ? [] : [this.members])];
  }

  private execute(body: Uint8Array, ackedBelow: number): Outcome | Refused {
    if (!this.isLeader()) return { code: 'NOT_LEADER', message: `${this.nodeId} does not lead` };
    if (this.refusal !== null && !this.isLate) return this.refusal;
    const outcome = this.cluster.apply(
      decodePayload(encodePayload(body, { ackedBelow, stampMs: 0 })),
    );
    return this.refusal ?? outcome;
  }

  private hears(session: string): boolean {
    if (this.deafness === 0 || (this.deafTo !== null && this.deafTo !== session)) return true;
    this.deafness--;
    return false;
  }

  private keepAlive({ session, nonce }: KeepAliveItem): KeepAliveResult {
    if (!this.isLeader()) return { session, nonce, code: 'NOT_LEADER', ttlMs: null };
    const view = this.cluster.locks.session(session);
    if (view === null) return { session, nonce, code: 'SESSION_GONE', ttlMs: null };
    this.cluster.renew(session);
    return { session, nonce, code: 'OK', ttlMs: view.ttlMs };
  }

  private query(query: Query): QueryResult {
    const { locks } = this.cluster;
    if (!this.isLeader()) return { kind: 'refused', code: 'NOT_LEADER', message: 'not the leader' };
    switch (query.kind) {
      case 'grant':
        return { kind: 'grant', token: locks.tokenOf(query.session, query.acquireSeq) };
      case 'inspect':
        return this.cluster.inspect(query.name);
      case 'list': {
        const found = locks.list(query.prefix, query.after, query.limit + 1);
        const hasMore = found.length > query.limit;
        return { kind: 'locks', locks: found.slice(0, query.limit), hasMore };
      }
      case 'session':
        return { kind: 'session', session: locks.session(query.session), leftMs: null };
      case 'holdings': {
        const { session, after, limit } = query;
        return { kind: 'holdings', holdings: locks.holdings(session, after, limit) };
      }
      case 'sessions':
        return {
          kind: 'sessions',
          sessions: locks.sessions(query.after, query.limit),
          hasMore: false,
        };
      case 'membership':
        return { kind: 'membership', membership: this.cluster.membership() };
      default:
        return { kind: 'refused', code: 'INVALID', message: 'not offered here' };
    }
  }

  private isLeader(): boolean {
    return this.cluster.leaderId === this.nodeId;
  }

  private welcome(): NodeMessage {
    const { clusterId } = this.cluster;
    return { type: 'welcome', version: 1, clusterId, nodeId: this.nodeId, storeId: this.nodeId };
  }

  private leaderNews(): NodeMessage {
    const { term, leaderId } = this.cluster;
    const address = this.cluster.nodes.find((node) => node.nodeId === leaderId)?.address ?? null;
    return { type: 'leader', term, leaderId, address, isReady: this.isLeader() };
  }
}
