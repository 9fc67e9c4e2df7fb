// The lock client: joins links, requests and the session, and is what users hold in their hands.

import { HoldfastError } from '../base/error.ts';
import type { Index, Revision, SessionId } from '../base/units.ts';
import type { NodeMessage, NodeStatus } from '../wire/client-messages.ts';
import type { Client, ClientPorts, ClientSession, CloseOptions } from './client-types.ts';
import { Deadlines } from './deadlines.ts';
import { Drain } from './drain.ts';
import type { Grant } from './grant.ts';
import { ClientElection } from './election.ts';
import type { Election, ElectionHome } from './election.ts';
import type { LockInfo } from './holder.ts';
import type { LockItem } from './items.ts';
import type { NodeLink } from './link.ts';
import { Links } from './links.ts';
import type { LinksOwner, NodeView } from './links.ts';
import { ClientLock } from './lock.ts';
import type { Lock } from './lock.ts';
import { checkKnown, checkOptions, checkWhole } from './options.ts';
import type { ClientOptions, Settings } from './options.ts';
import { Queries } from './queries.ts';
import type { BreakOptions, ListOptions, LockPage, SessionInfo, SessionPage } from './queries.ts';
import { ReadyWaits } from './ready-waits.ts';
import { createRenewals } from './renewals.ts';
import { Requests } from './requests.ts';
import { ClientSemaphore } from './semaphore.ts';
import type { Semaphore } from './semaphore.ts';
import type { Session, SessionParts } from './session.ts';
import { Sessions } from './sessions.ts';
import { SHOWN, shown } from './shown.ts';
import { askNode } from './single-request.ts';
import { WatchBatches } from './watch-batches.ts';
import { ClientWatch, checkWatch } from './watch.ts';
import type { LockWatch, WatchOptions } from './watch.ts';
import { Watches } from './watches.ts';

export type { Client, ClientPorts, ClientSession, CloseOptions } from './client-types.ts';

/** A TTL below this may not outlast a silent fail-over with default settings (DESIGN.md §5). */
const TTL_MS_ADVISED = 3_000;
const DRAIN_MS_MAX = 86_400_000;

/** Begins to dial at once. Throws HoldfastError INVALID before that when an option is wrong. */
export function createClient(ports: ClientPorts, options: ClientOptions): Client {
  const client = new LockClient(ports, checkOptions(options));
  client.open();
  return client;
}

class LockClient implements Client, LinksOwner, ElectionHome {
  readonly waitMs: number;
  readonly name: string;
  readonly watches: Watches;
  private readonly ports: ClientPorts;
  private readonly settings: Settings;
  private readonly links: Links;
  private readonly requests: Requests;
  private readonly parts: SessionParts;
  private readonly queries: Queries;
  private readonly sessions: Sessions;
  /** Why nothing can be asked any more. */
  private failure: HoldfastError | null = null;
  private closing: Promise<void> | null = null;
  private readonly drain: Drain;
  private readonly readyWaits: ReadyWaits;

  constructor(ports: ClientPorts, settings: Settings) {
    this.ports = ports;
    this.settings = settings;
    this.waitMs = settings.waitMs;
    this.drain = new Drain(ports.clock);
    this.name = settings.name;
    const clusterId = settings.resume?.clusterId ?? null;
    this.links = new Links(ports, settings, this, { clusterId, members: null });
    this.requests = new Requests(ports, this.links);
    this.watches = new Watches(ports, this.links);
    this.readyWaits = new ReadyWaits(ports.clock, this.links, () => this.isUsable());
    const { clock, random, logger, onGrant } = ports;
    const { links, requests } = this;
    const renewals = createRenewals({ ...ports, onReady: () => this.tellReady() }, settings, links);
    const deadlines = new Deadlines(clock);
    const common = { clock, random, logger, links, requests, deadlines, settings, onGrant };
    this.parts = { ...common, ...renewals };
    this.queries = new Queries(this.parts);
    this.sessions = new Sessions(this.parts, () => this.tellReady());
  }

  open(): void {
    const { ttlMs } = this.settings;
    if (ttlMs !== null && ttlMs < TTL_MS_ADVISED) {
      this.warn(`ttlMs ${ttlMs} may not outlast the change of a leader; ${TTL_MS_ADVISED} does`);
    }
    this.links.open();
    this.sessions.begin();
  }

  get clusterId(): string | null {
    return this.links.clusterId;
  }

  get session(): ClientSession {
    return this.sessions.current;
  }

  ready(connectMs: number): Promise<void> {
    const waiting = this.readyWaits.add(connectMs);
    this.tellReady();
    return waiting;
  }

  lock(name: string): Lock {
    return new ClientLock(this, [name]);
  }

  lockAll(items: readonly LockItem[]): Lock {
    return new ClientLock(this, items);
  }

  semaphore(name: string, total: number): Semaphore {
    return new ClientSemaphore(this, name, total);
  }

  election(name: string): Election {
    return new ClientElection(this, name);
  }

  watch(options: WatchOptions): LockWatch {
    const checked = checkWatch(options);
    return new ClientWatch(this.parts, new WatchBatches(this.watches, checked), checked.after);
  }

  inspect(name: string): Promise<LockInfo & { readonly revision: Revision }> {
    return this.queries.inspect(name);
  }

  list(options?: ListOptions): Promise<LockPage> {
    return this.queries.list(options);
  }

  inspectSession(session: SessionId): Promise<SessionInfo | null> {
    return this.queries.session(session);
  }

  listSessions(options: { after?: Index; limit?: number } = {}): Promise<SessionPage> {
    return this.queries.sessions(options);
  }

  break(name: string, options: BreakOptions): Promise<void> {
    return this.queries.breakLock(name, options);
  }

  endSession(session: SessionId, options: { reason: string; by?: string }): Promise<void> {
    return this.queries.endSession(session, options);
  }

  grants(): readonly Grant[] {
    return this.sessions.grants();
  }

  async takeOver(text: string): Promise<Grant> {
    this.checkOpen();
    return this.sessions.takeOver(text);
  }

  nodes(): readonly NodeView[] {
    return this.links.views();
  }

  async statusOf(address: string): Promise<NodeStatus> {
    const question = { type: 'query', query: { kind: 'status' } } as const;
    const patienceMs = this.settings.requestMs;
    const result = await askNode(this.ports, { address, question, patienceMs });
    if (result.kind === 'status') return result.status;
    if (result.kind === 'refused') throw new HoldfastError(result.code, result.message);
    throw new HoldfastError('INTERNAL', `a question for the status was answered ${result.kind}`);
  }

  async close(options: CloseOptions = {}): Promise<void> {
    checkKnown(options, ['drainMs']);
    const { drainMs } = options;
    if (drainMs !== undefined) checkWhole('drainMs', drainMs, [0, DRAIN_MS_MAX]);
    // A further call may be in more of a hurry, but only if it says so.
    if (this.closing === null || drainMs !== undefined) this.drain.within(drainMs ?? 0);
    // It begins once it is noted: whoever hears of the losses may call close again.
    this.closing ??= Promise.resolve().then(() => this.shutDown());
    return this.closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  [SHOWN](): string {
    const nodes = this.links.views().map(({ address }) => address);
    const held = this.grants().length;
    const isClosed = this.failure !== null || this.closing !== null;
    return shown('Client', { name: this.name, clusterId: this.clusterId, nodes, held, isClosed });
  }

  liveSession(): Session {
    this.checkOpen();
    return this.sessions.live();
  }

  warn(message: string): void {
    this.ports.logger.warn(message);
  }

  onMessage(link: NodeLink, message: NodeMessage): void {
    switch (message.type) {
      case 'reply':
      case 'answer':
        return this.requests.onReply(link, message);
      case 'keepAliveReply':
        for (const result of message.items) this.sessions.onKeepAlive(result);
        return;
      case 'news':
        return this.sessions.onNews(message.news);
      case 'watching':
      case 'watchEvents':
      case 'watchOver':
        return this.watches.onMessage(link, message);
      default: // greetings and farewells are the links' own
    }
  }

  onChange(): void {
    // The session first: it attaches to a new leader before anything else goes there.
    this.sessions.onChange();
    this.requests.onChange();
    this.watches.onChange();
    this.tellReady();
  }

  onDrain(): void {
    this.requests.pumpSoon();
  }

  onDown(link: NodeLink): void {
    this.sessions.onDown(link);
    this.requests.onDown(link);
    this.watches.onDown(link);
    this.requests.pumpSoon();
  }

  onClusterChange(error: HoldfastError): void {
    const text = 'the nodes belong to another cluster now, where this session never was';
    this.sessions.lose({ code: 'CLUSTER_CHANGED', text, details: {} });
    this.end(error);
  }

  private checkOpen(): void {
    if (this.failure !== null) throw this.failure;
    if (this.closing !== null) throw new HoldfastError('CLOSED', 'this client is closing');
  }

  // Usable, and if a thread is to renew leases it does: before that no lock should be taken.
  private tellReady(): void {
    const { resumeState } = this.sessions;
    if (this.failure !== null) this.readyWaits.tell(this.failure);
    else if (HoldfastError.is(resumeState)) this.readyWaits.tell(resumeState);
    else if (this.isUsable() && this.parts.renewals.isReady()) this.readyWaits.tell(null);
  }

  // A leader is known, and the session that was to be resumed is there.
  private isUsable(): boolean {
    return this.links.leader() !== null && this.sessions.resumeState === 'done';
  }

  private async shutDown(): Promise<void> {
    await this.sessions.close(this.drain);
    this.end(new HoldfastError('CLOSED', 'this client is closed'));
  }

  private end(error: HoldfastError): void {
    this.failure ??= error;
    this.requests.failAll(this.failure);
    this.watches.failAll(this.failure);
    this.parts.renewals.close();
    this.parts.deadlines.stop();
    this.links.close(this.failure.code);
    this.tellReady();
  }
}
