// The watches of a client as they pass over its links. One link, one watch: when the client goes
// on elsewhere, that is another one, which says after which revision.

import type { NodeId, Revision } from '../../src/base/units.ts';
import type { NodeMessage } from '../../src/wire/client-messages.ts';
import type {
  WatchEvent,
  WatchEventsMessage,
  WatchMessage,
  WatchTarget,
  WatchingMessage,
} from '../../src/wire/watch-messages.ts';
import type { Heard, Sent } from './history-types.ts';

/** One watch on one link. */
export interface WatchOperation {
  readonly client: string;
  readonly target: WatchTarget;
  readonly after: Revision | null;
  readonly sent: Sent;
  /** null while, or because, it has not begun. */
  start: WatchStart | null;
  /** By entry; the last one is whole unless `hasMore`. */
  readonly events: Heard<readonly WatchEvent[]>[];
  /** Of an entry that was not told to its end. */
  hasMore: boolean;
}

/** How it began. */
export interface WatchStart {
  readonly revision: Revision;
  readonly isComplete: boolean;
  readonly node: NodeId | null;
  /** The node has the events of all later revisions. */
  readonly keptFrom: Revision;
}

/** A node told a client that it cannot tell what happened in (after, revision]. */
export interface HeardGap {
  readonly client: string;
  readonly target: WatchTarget;
  readonly after: Revision;
  readonly revision: Revision;
}

/** The part of a history that watches are taken down in. */
export interface WatchBook {
  readonly watches: WatchOperation[];
  /** From which revision on that node has all events in memory. */
  readonly keptFrom: (node: NodeId) => Revision;
  sending(): Sent;
  hearing<Content>(revision: Revision, content: Content): Heard<Content>;
}

/** Those of one link. */
export class LinkWatches {
  private readonly client: string;
  private readonly book: WatchBook;
  private readonly watches = new Map<number, WatchOperation>();
  /** Who is at the other end, once it has said so. */
  private node: NodeId | null = null;

  constructor(client: string, book: WatchBook) {
    this.client = client;
    this.book = book;
  }

  sent({ watchId, target, after }: WatchMessage): void {
    const { client, book } = this;
    const watch = { client, target, after, sent: book.sending(), start: null };
    const heard = { events: [], hasMore: false };
    const operation: WatchOperation = { ...watch, ...heard };
    book.watches.push(operation);
    this.watches.set(watchId, operation);
  }

  /** Whatever still comes is of no interest to the client. */
  ended(watchId: number): void {
    this.watches.delete(watchId);
  }

  hear(message: NodeMessage): void {
    if (message.type === 'watchEvents') this.heard(message);
    else if (message.type === 'watching') this.began(message);
    else if (message.type === 'watchOver') this.ended(message.watchId);
    else if (message.type === 'welcome') this.node = message.nodeId;
  }

  private began({ watchId, revision, isComplete }: WatchingMessage): void {
    const watch = this.watches.get(watchId);
    if (watch === undefined) return;
    const { node, book } = this;
    const keptFrom = node === null ? Infinity : book.keptFrom(node);
    watch.start = { revision, isComplete, node, keptFrom };
  }

  private heard({ watchId, revision, events, hasMore }: WatchEventsMessage): void {
    const watch = this.watches.get(watchId);
    if (watch === undefined) return;
    const before = watch.hasMore ? watch.events.pop() : undefined;
    const isMore = before?.revision === revision;
    if (before !== undefined && !isMore) watch.events.push(before);
    const all = isMore ? [...before.content, ...events] : events;
    watch.events.push(this.book.hearing(revision, all));
    watch.hasMore = hasMore;
  }
}

/** Where nodes said that they cannot tell what happened. */
export function gapsOf(watches: readonly WatchOperation[]): readonly HeardGap[] {
  return watches.flatMap(({ client, target, after, start }) => {
    if (after === null || start === null || start.isComplete) return [];
    return [{ client, target, after, revision: start.revision }];
  });
}
