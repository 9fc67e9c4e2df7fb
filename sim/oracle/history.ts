// What clients asked and what they were told, overheard on their links: the black-box history of
// a run. It is as long as the run, which is short.

import type { NodeId, Revision, SessionId } from '../../src/base/units.ts';
import type { ClientMessage, NodeMessage } from '../../src/wire/client-messages.ts';
import { decodeBody } from '../../src/wire/command.ts';
import type { CommandBody } from '../../src/wire/command.ts';
import type { TransportTap } from '../cluster-client.ts';
import { TappedTransport } from './history-tap.ts';
import type { LinkEar } from './history-tap.ts';
import { gapsOf, LinkWatches } from './history-watches.ts';
import type { HeardGap, WatchBook, WatchOperation } from './history-watches.ts';
import type {
  CommandOperation,
  Heard,
  KeepAliveOperation,
  Moment,
  NewsHeard,
  Operation,
  QueryOperation,
  Sent,
  Transmission,
} from './history-types.ts';

/** See the head of this file. Listens to any number of clients, and to all their lives. */
export class ClientHistory implements WatchBook {
  /** In the order in which they were asked for. */
  readonly watches: WatchOperation[] = [];
  readonly keptFrom: (node: NodeId) => Revision;
  private readonly nowUs: () => number;
  private readonly all: Operation[] = [];
  private readonly allNews: NewsHeard[] = [];
  private readonly numbered = new Map<SessionId, Map<number, CommandOperation>>();
  /** Those that no session numbers, by content: opens, and what operators do. */
  private readonly unnumbered = new Map<string, CommandOperation>();
  private heardRevision: Revision = 0;
  private lastOrder = 0;

  /**
   * `nowUs` gives the time of the world in microseconds, `keptFrom` the revision after which a
   * node has all events for watchers; unless given, all nodes have all.
   */
  constructor(nowUs: () => number, keptFrom: (node: NodeId) => Revision = () => 0) {
    this.nowUs = nowUs;
    this.keptFrom = keptFrom;
  }

  /** In the order in which they were first sent. */
  get operations(): readonly Operation[] {
    return this.all;
  }

  /** In the order in which they were heard. */
  get news(): readonly NewsHeard[] {
    return this.allNews;
  }

  /** What clients were told that they will not be told. */
  get gaps(): readonly HeardGap[] {
    return gapsOf(this.watches);
  }

  /** Listens to the links of a client's process; see SimCluster.client. */
  tap(client: string): TransportTap {
    return (transport) => new TappedTransport(transport, () => this.listen(client));
  }

  /** Takes down what passes over one link of a client. */
  listen(client: string): LinkEar {
    return new LinkHistory(client, this);
  }

  /** The operation that this command belongs to; undefined if none of the clients sent it. */
  find(command: CommandBody): CommandOperation | undefined {
    if ('seq' in command) return this.numbered.get(command.session)?.get(command.seq);
    return this.unnumbered.get(contentKey(command));
  }

  /** The same; begins one if there is none. */
  obtain(client: string, body: CommandBody): CommandOperation {
    const known = this.find(body);
    if (known !== undefined) return known;
    const id = this.all.length;
    const operation: CommandOperation = { kind: 'command', id, client, body, transmissions: [] };
    this.all.push(operation);
    if ('seq' in body) this.numberedOf(body.session).set(body.seq, operation);
    else this.unnumbered.set(contentKey(body), operation);
    return operation;
  }

  addQuery(fact: Pick<QueryOperation, 'client' | 'query'>): QueryOperation {
    const id = this.all.length;
    const operation: QueryOperation = {
      kind: 'query',
      id,
      ...fact,
      sent: this.sending(),
      heard: null,
    };
    this.all.push(operation);
    return operation;
  }

  addKeepAlive(fact: Pick<KeepAliveOperation, 'client' | 'session'>): KeepAliveOperation {
    const sent = this.sending();
    const operation: KeepAliveOperation = {
      kind: 'keepAlive',
      id: this.all.length,
      ...fact,
      sent,
      heard: null,
    };
    this.all.push(operation);
    return operation;
  }

  addNews(news: NewsHeard): void {
    this.allNews.push(news);
  }

  /** Something leaves a client now. */
  sending(): Sent {
    return { ...this.moment(), floor: this.heardRevision };
  }

  /** Something reaches a client now. */
  hearing<Content>(revision: Revision, content: Content): Heard<Content> {
    this.heardRevision = Math.max(this.heardRevision, revision);
    return { ...this.moment(), revision, content };
  }

  private moment(): Moment {
    return { order: ++this.lastOrder, atUs: this.nowUs() };
  }

  private numberedOf(session: SessionId): Map<number, CommandOperation> {
    const known = this.numbered.get(session);
    if (known !== undefined) return known;
    const fresh = new Map<number, CommandOperation>();
    this.numbered.set(session, fresh);
    return fresh;
  }
}

/** Pairs the questions and answers of one link. */
class LinkHistory implements LinkEar {
  private readonly client: string;
  private readonly history: ClientHistory;
  private readonly commands = new Map<number, Transmission>();
  private readonly queries = new Map<number, QueryOperation>();
  private readonly keepAlives = new Map<string, KeepAliveOperation>();
  private readonly watches: LinkWatches;

  constructor(client: string, history: ClientHistory) {
    this.client = client;
    this.history = history;
    this.watches = new LinkWatches(client, history);
  }

  sent(message: ClientMessage): void {
    const { client, history } = this;
    if (message.type === 'command') {
      const { requestId } = message;
      const operation = history.obtain(client, decodeBody(message.body));
      const transmission = { requestId, sent: history.sending(), heard: null };
      operation.transmissions.push(transmission);
      this.commands.set(requestId, transmission);
    } else if (message.type === 'query' && message.query.kind !== 'status') {
      const operation = history.addQuery({ client, query: message.query });
      this.queries.set(message.requestId, operation);
    } else if (message.type === 'keepAlive') {
      for (const { session, nonce } of message.items) {
        const operation = history.addKeepAlive({ client, session });
        this.keepAlives.set(`${session} ${nonce}`, operation);
      }
    } else if (message.type === 'watch') {
      this.watches.sent(message);
    } else if (message.type === 'unwatch') {
      this.watches.ended(message.watchId);
    }
  }

  heard(message: NodeMessage): void {
    const { client, history } = this;
    if (message.type === 'reply') {
      const transmission = this.commands.get(message.requestId);
      if (transmission === undefined) return;
      transmission.heard = history.hearing(message.revision, message.outcome);
      this.commands.delete(message.requestId);
    } else if (message.type === 'answer') {
      const operation = this.queries.get(message.requestId);
      if (operation === undefined) return;
      operation.heard = history.hearing(message.revision, message.result);
      this.queries.delete(message.requestId);
    } else if (message.type === 'keepAliveReply') {
      for (const item of message.items) {
        const operation = this.keepAlives.get(`${item.session} ${item.nonce}`);
        if (operation !== undefined) operation.heard = history.hearing(0, item);
      }
    } else if (message.type === 'news') {
      history.addNews({ ...history.hearing(message.revision, message.news), client });
    } else this.watches.hear(message);
  }
}

function contentKey(body: CommandBody): string {
  return body.op === 'openSession' ? body.nonce : JSON.stringify(body);
}
