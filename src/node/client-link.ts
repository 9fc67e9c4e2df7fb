import type { NodeId, Revision, SessionId, StoreId } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { Link } from '../ports/transport.ts';
import type {
  AdminMessage,
  ClientMessage,
  FoundingMessage,
  KeepAliveResult,
  LeaderNews,
  MembersNews,
  NodeMessage,
  QueryMessage,
} from '../wire/client-messages.ts';
import { CLIENT_PROTOCOL } from '../wire/client-messages.ts';
import { decodeClientMessages } from '../wire/client.ts';
import type { NodeFrame } from '../wire/node-frame.ts';
import { sendFrames } from './client-frames.ts';
import { ClientInbox } from './client-inbox.ts';
import { ClientWatches } from './client-watches.ts';
import type { Host, HostAnswer } from './host-types.ts';

/** Sessions that one link may attach: 100,000 over 64 links, and twice as many. */
const ATTACHED_MAX = 4_096;
/** No session has a longer id: it is an index, a dash and 16 characters. */
const SESSION_ID_MAX = 64;
const KEPT_ALIVE_ITEMS_MAX = 1_000;
/** A client that reads nothing is cut off: its answers would fill our memory. */
const BUFFERED_BYTES_MAX = 8 * 1024 * 1024;

/** What a client is told of the node that it reached. */
export interface SelfView {
  readonly nodeId: NodeId;
  readonly storeId: StoreId;
  readonly clusterId: string | null;
  readonly leader: Omit<LeaderNews, 'type'>;
  /** Null while the node is blank. */
  readonly members: Omit<MembersNews, 'type'> | null;
}

/** One connection, whom it is answered by, and how much it may leave undecided. */
export interface ClientLinkOptions {
  readonly link: Link;
  readonly host: Host;
  readonly clock: Clock;
  /** Where answers are written, empty between calls; all links share one. */
  readonly frame: NodeFrame;
  readonly self: () => SelfView;
  readonly limits: { readonly commandsMax: number; readonly bytesMax: number };
  readonly onGreeted: () => void;
  readonly onClosed: () => void;
}

/** What was agreed with a client; `told` is the cluster that it knows of from here. */
interface Greeting {
  readonly version: number;
  readonly expected: string | null;
  told: string | null;
}

/**
 * One client's connection: messages in, answers out, gathered into one frame a turn. Garbage ends
 * the connection, and nothing else.
 */
export class ClientLink {
  private readonly options: ClientLinkOptions;
  private readonly attached = new Map<SessionId, () => void>();
  private outgoing: NodeMessage[] = [];
  private keptAlive: KeepAliveResult[] | null = null;
  private greeting: Greeting | null = null;
  private isOver = false;
  private readonly inbox: ClientInbox;
  private readonly watches: ClientWatches;

  constructor(options: ClientLinkOptions) {
    this.options = options;
    const { link, host, clock, limits } = options;
    this.watches = new ClientWatches({ host, push: (message) => this.push(message) });
    this.inbox = new ClientInbox({ link, clock, limits, handle: (each) => this.onMessage(each) });
    options.link.onFrame = (frame) => this.onFrame(frame);
    options.link.onClose = () => this.finish();
  }

  /**
   * Tells who leads; the client believes the highest term. One that was greeted while this node
   * was blank learns first which cluster that leader is of.
   */
  tellLeader(): void {
    const { greeting } = this;
    if (greeting === null) return;
    const isNews = greeting.told === null && this.options.self().clusterId !== null;
    if (isNews && !this.welcome(greeting)) return;
    this.push({ type: 'leader', ...this.options.self().leader });
    if (isNews) this.tellMembers();
  }

  close(code: Extract<NodeMessage, { type: 'goodbye' }>['code'], message: string): void {
    if (this.isOver) return;
    this.push({ type: 'goodbye', code, message });
    this.flush();
    this.options.link.close(message);
    this.finish();
  }

  /** Tells where the nodes are; the client believes the highest index. */
  tellMembers(): void {
    const { members } = this.options.self();
    if (this.greeting === null || this.greeting.told === null || members === null) return;
    this.push({ type: 'members', ...members });
  }

  private onFrame(frame: Uint8Array): void {
    let messages: ClientMessage[];
    try {
      messages = decodeClientMessages(frame);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'garbage';
      this.close('INVALID', `the frame cannot be read: ${reason}`);
      return;
    }
    this.inbox.take(messages);
  }

  private onMessage(message: ClientMessage): void {
    if (message.type === 'hello') return this.greet(message);
    if (this.greeting === null) return this.close('INVALID', 'the first message must be a hello');
    const { host } = this.options;
    switch (message.type) {
      case 'command':
        return this.execute(message);
      case 'keepAlive':
        return this.keepAlive(message.items);
      case 'attach':
        return this.attach(message.sessions);
      case 'query':
        this.inbox.begin(message);
        return host.query(message.query, (answer) => this.answer(message, answer));
      case 'founding':
        this.inbox.begin(message);
        return host.founding(message.step, (answer) => this.answer(message, answer));
      case 'admin':
        this.inbox.begin(message);
        return host.admin(message.step, (answer) => this.answer(message, answer));
      case 'watch':
        return this.watches.watch(message.watchId, message.target, message.after);
      case 'unwatch':
        return this.watches.unwatch(message.watchId);
    }
  }

  private answer(message: QueryMessage | FoundingMessage | AdminMessage, answer: HostAnswer): void {
    this.inbox.end(message);
    this.push({ type: 'answer', requestId: message.requestId, ...answer });
  }

  private greet(hello: Extract<ClientMessage, { type: 'hello' }>): void {
    if (hello.versionMax < CLIENT_PROTOCOL.min || hello.versionMin > CLIENT_PROTOCOL.max) {
      const theirs = `${hello.versionMin}-${hello.versionMax}`;
      const ours = `${CLIENT_PROTOCOL.min}-${CLIENT_PROTOCOL.max}`;
      return this.close('INVALID', `the client speaks protocol ${theirs}, this node ${ours}`);
    }
    const version = Math.min(hello.versionMax, CLIENT_PROTOCOL.max);
    const greeting = { version, expected: hello.clusterId, told: null };
    if (!this.welcome(greeting)) return;
    this.greeting = greeting;
    this.options.onGreeted();
    this.tellLeader();
    this.tellMembers();
  }

  /** False if the client belongs elsewhere: the link is closed then. */
  private welcome(greeting: Greeting): boolean {
    const { clusterId, nodeId, storeId } = this.options.self();
    const { version, expected } = greeting;
    if (expected !== null && clusterId !== null && expected !== clusterId) {
      const text = `this node belongs to cluster ${clusterId}, not to ${expected}`;
      this.close('CLUSTER_CHANGED', text);
      return false;
    }
    greeting.told = clusterId;
    this.push({ type: 'welcome', version, clusterId, nodeId, storeId });
    return true;
  }

  private execute(message: Extract<ClientMessage, { type: 'command' }>): void {
    this.inbox.begin(message);
    this.options.host.execute(message, ({ revision, outcome }) => {
      this.inbox.end(message);
      this.push({ type: 'reply', requestId: message.requestId, revision, outcome });
    });
  }

  private keepAlive(items: Extract<ClientMessage, { type: 'keepAlive' }>['items']): void {
    this.inbox.beginKeepAlives(items.length);
    for (const { session, nonce } of items) {
      const done = (result: Pick<KeepAliveResult, 'code' | 'ttlMs'>): void => {
        const { code, ttlMs } = result;
        this.inbox.endKeepAlive();
        this.pushKeptAlive({ session, nonce, code, ttlMs });
      };
      if (isTooLong(session)) done({ code: 'SESSION_GONE', ttlMs: null });
      else this.options.host.keepAlive(session, done);
    }
  }

  /** Results of one turn share messages; the open one grows until it is sent. */
  private pushKeptAlive(result: KeepAliveResult): void {
    if (this.keptAlive === null || this.keptAlive.length >= KEPT_ALIVE_ITEMS_MAX) {
      this.keptAlive = [];
      this.push({ type: 'keepAliveReply', items: this.keptAlive });
    }
    this.keptAlive.push(result);
  }

  private attach(sessions: readonly SessionId[]): void {
    for (const session of sessions) {
      if (this.attached.has(session) || isTooLong(session)) continue;
      if (this.attached.size >= ATTACHED_MAX) {
        return this.close('OVERLOADED', `a link may attach at most ${ATTACHED_MAX} sessions`);
      }
      const stop = this.options.host.follow(session, (news, revision: Revision) => {
        this.push({ type: 'news', revision, news });
        if (news.kind === 'ended') this.detach(session);
      });
      this.attached.set(session, stop);
    }
  }

  private detach(session: SessionId): void {
    this.attached.get(session)?.();
    this.attached.delete(session);
  }

  private push(message: NodeMessage): void {
    if (this.isOver) return;
    this.outgoing.push(message);
    if (this.outgoing.length === 1) this.options.clock.soon(() => this.flush());
  }

  private flush(): void {
    if (this.isOver || this.outgoing.length === 0) return;
    const messages = this.outgoing;
    this.outgoing = [];
    this.keptAlive = null;
    const { link, frame } = this.options;
    sendFrames(messages, frame, link);
    if (link.bufferedBytes > BUFFERED_BYTES_MAX) {
      link.close('the client does not read its answers');
      this.finish();
    }
  }

  private finish(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.inbox.stop();
    this.outgoing = [];
    this.watches.stop();
    for (const stop of this.attached.values()) stop();
    this.attached.clear();
    this.options.onClosed();
  }
}

// What is kept for a link is bounded by number: each must be small.
function isTooLong(session: SessionId): boolean {
  return session.length > SESSION_ID_MAX;
}
